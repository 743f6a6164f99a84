import type { Auditing } from './audit-context.ts';

/** How often somebody who waits looks whether to stop, in milliseconds. */
const step = 250;

/** Waits until then. @returns false where somebody asks to stop, at once */
export async function passed(
  { clock, stop }: Pick<Auditing, 'clock' | 'stop'>,
  due: number,
): Promise<boolean> {
  while (clock.now() < due && !stop()) await clock.sleep(Math.min(step, due - clock.now()));
  return !stop();
}
