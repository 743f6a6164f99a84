import type { DeadLetterReader, FoundDeadLetter, LookOptions } from './dead-letter.ts';
import type { FailedBatches } from './failed-batch.ts';

/**
 * One list of all that failed: the dead letters of a queue, then the batches that Lambda gave up.
 * @param reader undefined where only failed batches are named
 */
export function withFailedBatches(
  reader: DeadLetterReader | undefined,
  sources: readonly FailedBatches[],
): DeadLetterReader {
  return {
    async look(options) {
      const { deadLetters = [], unseen = 0 } = (await reader?.look(options)) ?? {};
      return { deadLetters: [...deadLetters, ...(await batchesIn(sources, options))], unseen };
    },
    async remove(deadLetters) {
      for (const { batch } of deadLetters) await batch?.batches.remove(batch.key);
      const others = deadLetters.filter(({ batch }) => batch === undefined);
      if (others.length > 0) await reader?.remove(others);
    },
    close: async () => (await reader?.close()) ?? 0,
  };
}

async function batchesIn(
  sources: readonly FailedBatches[],
  { stop = () => false }: LookOptions = {},
): Promise<readonly FoundDeadLetter[]> {
  const found: FoundDeadLetter[] = [];
  for (const batches of sources)
    for await (const key of batches.keys()) {
      if (stop()) return found;
      const reason = `Lambda gave up a batch of ${batches.owner ?? 'a function'}: see its errors alarm`;
      found.push({ id: key, at: timeIn(key), code: 'batch.given-up', reason, batch: { batches, key } });
    }
  return found;
}

/** The time in the name that Lambda gives an object, `…/2026-11-20T10.11.12-<UUID>`; 0 for another name. */
function timeIn(key: string): number {
  const [, day, hours, minutes, seconds] = /(\d{4}-\d\d-\d\d)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`) || 0;
}
