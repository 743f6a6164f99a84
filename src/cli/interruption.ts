import { exitCodes } from './errors.ts';

/** Whether the user has asked to stop. Work that can be stopped checks this regularly. */
export interface Interruption {
  readonly asked: () => boolean;
  /** Removes the signal handlers. */
  end(): void;
}

/**
 * One Ctrl-C may arrive twice within this time, in milliseconds: from the terminal, and from the launcher.
 */
const sameKeystroke = 500;

/**
 * The first Ctrl-C requests a clean stop. A second one, at least half a second later, stops the process at
 * once.
 */
export function interruption(): Interruption {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let askedAt: number | undefined;
  function hear(): void {
    if (askedAt !== undefined && performance.now() - askedAt > sameKeystroke) process.exit(exitCodes.failed);
    if (askedAt !== undefined) return;
    askedAt = performance.now();
    console.error('denorm: stopping cleanly; press Ctrl-C again to stop at once');
  }
  for (const signal of signals) process.on(signal, hear);
  return {
    asked: () => askedAt !== undefined,
    end() {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}
