import type { Message, Parked } from '../model/message.ts';
import type { TurnReport } from '../model/report.ts';
import type { Engine } from './context.ts';
import type { ClockPort } from '../ports.ts';
import { QueueAtHand } from './in-memory-queue.ts';
import { turn } from './propagate-root.ts';

/** What a turn and everything that it queued came to. */
export interface WholeTurn {
  readonly reports: readonly TurnReport[];
  /** What cannot be done at all, with why. Nothing stands in a dead-letter queue: it is for the caller to say. */
  readonly parked: readonly Parked[];
  /** False where it was stopped before its end. */
  readonly finished: boolean;
}

/**
 * Takes a turn with all that it queues, in this process: the rest of a large fan-out at once, retries when they are due.
 * Where `engine.outOfTime` says so it stops after the page that it is at.
 * @throws Unworkable where no item could be worked on
 */
export async function takeWholeTurn(
  engine: Omit<Engine, 'queue'>,
  clock: ClockPort,
  message: Message,
): Promise<WholeTurn> {
  const reports: TurnReport[] = [];
  const parked: Parked[] = [];
  const queue = new QueueAtHand(clock, {
    async park(things) {
      parked.push(...things);
    },
  });
  const whole: Engine = { ...engine, queue };
  await queue.send([message]);
  for (;;) {
    if (queue.waitingNow().length === 0) return { reports, parked, finished: true };
    if (engine.outOfTime()) return { reports, parked, finished: false };
    for (const due of await queue.takeDue()) reports.push(await turn(whole, due));
  }
}
