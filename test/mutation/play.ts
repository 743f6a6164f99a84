import type { Playable } from './cases.ts';
import { allow, allowAny } from './watchdog.ts';

/** Why a case failed, and whether it was given up: then some of it may still go on. */
export interface Failure {
  readonly why: string;
  readonly hung: boolean;
}

/** Plays a case, for at most so many milliseconds. Undefined where it passes. */
export async function play(one: Playable, patience: number): Promise<Failure | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<'hung'>((done) => {
    timer = setTimeout(() => done('hung'), patience);
  });
  allow(patience);
  try {
    const ended = await Promise.race([one.play(), hung]);
    return ended === 'hung' ? { why: 'it does not end', hung: true } : undefined;
  } catch (error) {
    return { why: firstLine(error), hung: false };
  } finally {
    allowAny();
    clearTimeout(timer);
  }
}

/** The first line of what was thrown. */
export function firstLine(error: unknown): string {
  return String(error).split('\n')[0] ?? '';
}
