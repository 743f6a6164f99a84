import type { Message } from '../model/message.ts';
import type { Engine } from './context.ts';
import { fanOutBatch } from './fan-out-batch.ts';
import type { QueueAtHand } from './in-memory-queue.ts';

/**
 * Takes the turns that these messages ask for, and those that they ask for in turn, until none is left. Retries are
 * waited for.
 * @param engine one whose queue is the queue at hand
 * @throws what could neither be done nor parked, and Unworkable where nothing could be worked on
 */
export async function takeTurns(
  engine: Engine,
  queue: QueueAtHand,
  messages: readonly Message[],
): Promise<void> {
  for (let due = messages; due.length > 0; due = await queue.takeDue()) {
    const records = due.map((message, index) => ({ id: String(index), body: JSON.stringify(message) }));
    for (const failure of (await fanOutBatch(engine, records)).values()) throw failure;
  }
}
