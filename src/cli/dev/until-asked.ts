import { launcherPid } from '../../worker/environment.ts';
import { onStopSignal } from '../interruption.ts';

const interval = 500;

/** Resolves on a signal to stop, or when the process that launched this one is gone, to the reason for people. */
export function untilAsked(): Promise<string> {
  return new Promise((resolve) => {
    onStopSignal((signal) => resolve(signal === 'SIGINT' ? 'Ctrl-C' : signal));
    launcherGone(launcherPid(), () => resolve('the end of the process that started it'));
  });
}

/**
 * Calls back once when the launcher is gone: one that is killed outright passes no signal on.
 * @param launcher the launcher's process ID. Undefined if there is none: then it never calls back
 */
function launcherGone(launcher: number | undefined, gone: () => void): void {
  if (launcher === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(launcher)) return;
    clearInterval(timer);
    gone();
  }, interval);
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
