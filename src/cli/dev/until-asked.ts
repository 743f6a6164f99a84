import { onStopSignal } from '../interruption.ts';

/** Resolves on a signal to stop, to the reason for people. */
export function untilAsked(): Promise<string> {
  return new Promise((resolve) => {
    onStopSignal((signal) => resolve(signal === 'SIGINT' ? 'Ctrl-C' : signal));
  });
}
