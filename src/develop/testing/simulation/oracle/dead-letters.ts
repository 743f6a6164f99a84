import { jsValue } from '../../../../model/attribute-value.ts';
import type { ItemKey } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import type { DeadLetter } from '../../../../model/message.ts';
import type { World } from '../world/world.ts';

const fine = 'what is fine is dead-lettered';

function isGivenUp({ code }: DeadLetter): boolean {
  return code === 'attempts.exceeded' || code === 'unavailable.too-long';
}

/** An outage makes nobody give up: it is shorter than work waits for (promise 7). @param before when it began */
export function checkOutlasted({ queue, findings }: World, before: readonly DeadLetter[]): void {
  for (const one of queue.deadLettered)
    if (isGivenUp(one) && !before.includes(one))
      findings.violated(7, 'an outage makes work be given up', whereOf(one));
}

/** Only what a person can mend is dead-lettered (promise 4), and nothing gives up without cause (7). @param faulty whether requests went wrong */
export function checkDeadLetters(world: World, faulty: boolean): void {
  const { findings, queue } = world;
  for (const one of queue.deadLettered)
    if (!isGivenUp(one)) {
      if (!needsPerson(one, world)) findings.violated(4, fine, whereOf(one));
    } else if (!faulty)
      findings.violated(7, 'a propagation gives up though nothing is in its way', whereOf(one));
}

function needsPerson({ code, message, about }: DeadLetter, world: World): boolean {
  const { oracle } = world;
  if (message === undefined)
    return about === undefined ? code === 'record.unreadable' : wasInvalid(world, about.key);
  if (code === 'rule.unknown')
    return ![...oracle.relations, ...oracle.totals].some(({ rule }) => rule === message.rule);
  return code === 'copy.taken' ? oracle.wasTaken(message) : oracle.wasBeyondRepair(message);
}

/** Whether the item once had a value that its schema rejects. */
function wasInvalid({ registry, table }: World, key: ItemKey): boolean {
  return table.versionsOf(key).some((item) => {
    const kind = registry.kinds.find((one) => isOfKind(registry.table, one, item));
    const values = Object.entries(kind?.attributes.shape ?? {}).map(
      ([name, schema]) => [schema, item[name]] as const,
    );
    return values.some(([schema, value]) => !schema.safeParse(value && jsValue(value)).success);
  });
}

function whereOf({ code, message }: DeadLetter): string {
  return `${code} ${message?.rule} ${JSON.stringify(message?.root)}`;
}

/** Every unreadable record and message is dead-lettered; Archive leaves removals to the on-failure destination, which keeps them whole (promise 4). */
export function checkUnreadable({ stream, queue, invocations, findings }: World): void {
  const { deadLetteredRecords, malformedMessages } = queue;
  const { undelivered } = invocations;
  const expected = new Set<string>();
  for (const { record, lastImage } of stream.malformed)
    for (const reader of ['propagate', 'archive']) {
      const isKept = undelivered.some((one) => one.reader === reader && one.record.id === record);
      if (!(lastImage && reader === 'archive')) expected.add(`${reader} ${record}`);
      else if (!isKept) findings.violated(4, 'a removal that nobody can read is acknowledged', record);
    }
  for (const where of [...expected].filter((one) => !deadLetteredRecords.has(one)))
    findings.violated(4, 'a record that nobody can read is not dead-lettered', where);
  for (const where of [...deadLetteredRecords].filter((one) => !expected.has(one)))
    findings.violated(4, fine, where);
  for (const body of malformedMessages.values())
    findings.violated(4, 'a message that nobody can read is not dead-lettered', JSON.stringify(body));
}
