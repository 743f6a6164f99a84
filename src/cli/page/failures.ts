import type { FailuresView, FailureView, Redriven } from '../../develop/page/protocol/trouble.ts';
import type { Registry } from '../../model/registry.ts';
import type { DeadLetterReader } from '../../operate/dead-letters/dead-letter.ts';
import { type DeadLetterGroup, groupDeadLetters } from '../../operate/dead-letters/dead-letter-groups.ts';
import {
  isRunnable,
  planRedrive,
  redriveDeadLetters,
} from '../../operate/dead-letters/redrive-dead-letters.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { QueuePort } from '../../worker/ports.ts';
import { unlimited } from '../../worker/scan/budget.ts';

/** What failed, the newest first: at most about `most` dead letters and batches. */
export async function failuresView(
  reader: DeadLetterReader,
  registry: Registry,
  most = Number.POSITIVE_INFINITY,
): Promise<FailuresView> {
  let found = 0;
  let asked = 0;
  // Asked between requests to the queue, and for each batch.
  const stop = () => {
    asked += 1;
    return found >= most || asked > most;
  };
  const { deadLetters, unseen } = await reader.look({
    stop,
    onFound: (count) => {
      found = count;
    },
  });
  const groups = groupDeadLetters(deadLetters).toSorted((a, b) => b.newest - a.newest);
  return { failures: groups.map((group) => failureView(group, registry)), more: unseen > 0 || asked > most };
}

function failureView(group: DeadLetterGroup, registry: Registry): FailureView {
  const { id, rule, key: root, record, code, reason, newest, deadLetters } = group;
  const messages = deadLetters.flatMap(({ message }) => message ?? []);
  return {
    ...{ id, rule, root, record, code, reason, newest, count: deadLetters.length },
    redrivable: messages.some((message) => isRunnable(message, registry)),
  };
}

/** Sends the messages of these groups again, those about removed roots included, and deletes their dead letters. */
export async function redrive(
  {
    reader,
    registry,
    queue,
  }: { readonly reader: DeadLetterReader; readonly registry: Registry; readonly queue: QueuePort },
  ids: readonly string[],
): Promise<Redriven> {
  const { deadLetters } = await reader.look();
  const chosen = groupDeadLetters(deadLetters).filter(({ id }) => ids.includes(id));
  const outcome = await redriveDeadLetters({
    ...{ send: planRedrive(chosen, { registry, removals: true }).send, reader, stop: () => false },
    deliver: (messages) => queue.send(messages),
    budget: unlimited(systemClock),
  });
  if (outcome.error !== undefined) throw outcome.error;
  return { redriven: outcome.deadLetters };
}
