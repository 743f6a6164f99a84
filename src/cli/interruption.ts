import { isatty } from 'node:tty';
import { launcherPid } from './environment.ts';
import { exitCodes } from './errors.ts';
import { endBars, warn } from './output/terminal.ts';

export type Interruption = ReturnType<typeof interruption>;

/** One Ctrl-C may arrive twice within this time: from the terminal, and from the launcher. */
const sameKeystrokeMs = 500;

/**
 * Listens to the signals that ask a process to stop. SIGHUP says that the terminal is closed: without a terminal on any of
 * its streams, as under nohup and as a service, a process outlives that. Node forgets that nohup ignores the signal.
 * @returns a function that stops listening
 */
export function onStopSignal(hear: (signal: NodeJS.Signals) => void): () => void {
  const onHangUp = () => {
    if ([0, 1, 2].some((descriptor) => isatty(descriptor))) hear('SIGHUP');
  };
  process.on('SIGINT', hear).on('SIGTERM', hear).on('SIGHUP', onHangUp);
  return () => void process.off('SIGINT', hear).off('SIGTERM', hear).off('SIGHUP', onHangUp);
}

/** Resolves on a signal to stop, to the reason for people. */
export function untilAsked(): Promise<string> {
  return new Promise((resolve) => {
    onStopSignal((signal) => resolve(signal === 'SIGINT' ? 'Ctrl-C' : signal));
  });
}

const launcherIntervalMs = 500;

/** Asks this process to stop, as SIGTERM does, once its launcher is gone: one that is killed outright passes no signal on. */
export function stopWithLauncher(): void {
  const launcher = launcherPid();
  if (launcher === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(launcher)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, launcherIntervalMs);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The first Ctrl-C requests a clean stop. A second one, at least half a second later, stops the process at once.
 * @returns `stop`, whether the user has asked to stop: work that can be stopped checks this regularly
 */
export function interruption() {
  let askedAt: number | undefined;
  function hear(): void {
    if (askedAt !== undefined && performance.now() - askedAt > sameKeystrokeMs)
      process.exit(exitCodes.failed);
    if (askedAt !== undefined) return;
    askedAt = performance.now();
    endBars();
    warn('stopping cleanly; press Ctrl-C again to stop at once');
  }
  const stopListening = onStopSignal(hear);
  return {
    stop: () => askedAt !== undefined,
    // Once asked, it goes on listening: the launcher's signal may be yet to come, and would end the process.
    end: () => {
      if (askedAt === undefined) stopListening();
    },
  };
}
