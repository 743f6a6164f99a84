import * as z from 'zod';
import { jsValue } from '../../model/items/attribute-value.ts';
import { type Item, type ItemKey, keyAttributes } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import { type ModelTable, versionsIn } from '../../testing/table-model/model-table.ts';
import type { World } from '../world/world.ts';
import type { Oracle } from './oracle.ts';
import { namesRoot, type Relation } from './relation.ts';
import { isGivenUp } from './requeues.ts';

const fine = 'what is fine is dead-lettered';

/**
 * An outage makes nobody give up: it is shorter than work waits for (promise 7).
 * @param before when it began
 */
export function checkOutlasted({ queue, findings }: World, before: readonly DeadLetter[]): void {
  for (const one of queue.deadLettered)
    if (isGivenUp(one) && !before.includes(one))
      findings.violated(7, 'an outage makes work be given up', whereOf(one));
}

/**
 * Only what a person can mend is dead-lettered (promise 4), and nothing gives up without cause (7).
 * @param faulty whether requests went wrong
 */
export function checkDeadLetters(world: World, faulty: boolean): void {
  const { findings, queue } = world;
  for (const one of queue.deadLettered)
    if (!isGivenUp(one)) {
      if (!needsPerson(one, world)) findings.violated(4, fine, whereOf(one));
    } else if (!faulty)
      findings.violated(7, 'a propagation gives up though nothing is in its way', whereOf(one));
}

/** Whether only a person can mend it, by the rules of any invocation. */
function needsPerson({ code, message, about }: DeadLetter, world: World): boolean {
  const { oracles } = world.deployments;
  if (message === undefined)
    return about === undefined ? code === 'record.unreadable' : wasInvalid(world, about.key);
  return oracles.some((oracle) => {
    if (code === 'rule.unknown')
      return ![...oracle.relations, ...oracle.totals].some(({ rule }) => rule === message.rule);
    return code === 'copy.taken' || code === 'target.taken'
      ? wasTaken(oracle, world.table, message)
      : wasBeyondRepair(oracle, world.table, message);
  });
}

/** Whether a copy of this root, or this target, once was such that it could not follow, be it the root's fault or its own. */
function wasBeyondRepair(oracle: Oracle, table: ModelTable, message: Message): boolean {
  const { rule, root: rootKey, copies: named = [] } = message;
  const relation = oracle.relations.find((one) => one.rule === rule);
  const totals = oracle.totals.find((one) => one.rule === rule);
  const all = versionsIn(table.history);
  const versions = table.versionsOf(rootKey);
  // Members are read one after another: they may be more together than there ever were at once.
  // A ledger posts members whose target is not there yet.
  const bare = totals?.ledger === undefined && !totals?.creates ? [] : [totals.bareTarget(rootKey)];
  if (totals !== undefined) {
    // At an end of a location, versions of other members may stand before the one that was invalid.
    const once = [all, ...all.map((item) => [item])];
    return [...versions, ...bare].some(
      (target) => totals.isTarget(target) && once.some((items) => totals.wanted(target, items) === undefined),
    );
  }
  if (relation === undefined) return false;
  const roots = versions.filter(relation.isRoot);
  if (named.some((copy) => table.versionsOf(copy).some(relation.isNamedWrongly))) return true;
  const copies = all.filter((item) => namesRoot(relation, item, rootKey));
  return roots.some(
    (root) =>
      relation.locations(root, root) === undefined ||
      relation.isUnmade(root) ||
      relation.isUnlocatable(root) ||
      [...copies, ...bareCopies(relation, table, root)].some(
        (copy) => relation.wanted(root, copy) === undefined,
      ),
  );
}

/** The copies that the worker is to create, with nothing but their keys. */
function bareCopies({ placed }: Relation, table: ModelTable, root: Item): Item[] {
  return placed(root).map((key) => keyAttributes(table.names, key));
}

/** Whether one of the message's copies could not be created, because another item once had its key. */
function wasTaken(oracle: Oracle, table: ModelTable, { rule, root, copies = [] }: Message): boolean {
  const totals = oracle.totals.find((one) => one.rule === rule);
  if (totals !== undefined)
    return totals.creates && table.versionsOf(root).some((item) => !totals.isTarget(item));
  const relation = oracle.relations.find((one) => one.rule === rule);
  const items = copies.flatMap((copy) => table.versionsOf(copy));
  return relation?.creates === true && items.some((item) => !namesRoot(relation, item, root));
}

/** Whether the item once had a value that its schema rejects. */
function wasInvalid({ registry, table }: World, key: ItemKey): boolean {
  return table.versionsOf(key).some((item) => {
    const kind = registry.kinds.find((one) => isOfKind(one, item));
    const values = Object.entries(kind?.attributes.shape ?? {}).map(
      ([name, schema]) => [schema, item[name]] as const,
    );
    return values.some(([schema, value]) => !z.safeParse(schema, value && jsValue(value)).success);
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
