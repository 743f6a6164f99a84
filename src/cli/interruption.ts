import { exitCodes } from './errors.ts';

/** Whether somebody has asked for an end: work that can be stopped asks for it now and then. */
export interface Interruption {
  readonly asked: () => boolean;
  /** Leaves signals to Node again. */
  end(): void;
}

/** A terminal tells every process of the group, and the launcher passes it on: one Ctrl-C may arrive twice, in milliseconds. */
const sameKeystroke = 500;

/** The first Ctrl-C asks for an end that leaves things in order; one more, after half a second, does not wait for it. */
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
