import { allSettledOrThrow } from '../../../model/all-settled-or-throw.ts';
import { byKeyText, type ItemKey, keyText } from '../../../model/item.ts';
import { objectKeyOf } from '../../../worker/archive/object.ts';
import { retry } from '../../../worker/scan/clock.ts';
import { Suspects } from '../../../worker/verify/suspects.ts';
import { statesOfObject } from '../object-states.ts';
import { type ArchivedItem, listItems } from '../read-states.ts';
import type { Audit } from './audit.ts';
import type { Auditing } from './audit-context.ts';
import { erasedUpTo, existing } from './classify-object.ts';

/** Items that are looked up in the table with one request. Source: AWS, "BatchGetItem". */
const together = 100;

/** Suspects that are checked together. */
const maxSuspects = 1_000;

/**
 * Searches the archive for items that should have been erased, under rules with `onDelete: 'erase'`: the item is
 * gone, and its states are left without a final state or despite an erasure. Lists every object and looks up every
 * item.
 * @param onItems called with the number of items checked so far
 */
export async function auditErasures(
  audit: Audit,
  work: Auditing,
  onItems: (items: number) => void,
): Promise<void> {
  const { registry, reader, clock, grace, stop } = work;
  let looked = 0;
  for (const rule of registry.archives.filter(({ onDelete }) => onDelete === 'erase')) {
    const kinds = rule.kinds.map(({ name }) => name);
    const suspects = new Suspects<LeftOver & { readonly dueAt: number }>({
      ...{ clock, atOnce: maxSuspects },
      async lookAgain(due) {
        for (const { kind, key, objectKey } of await retry(clock, () => stillLeftOver(work, due)))
          audit.found({ wrong: 'left', rule: rule.name, kind, key, objectKey, sequence: undefined });
        return { again: [] };
      },
    });
    for await (const items of inGroups(listItems(reader, registry.table, { kinds }), together)) {
      if (stop()) return;
      const left = await retry(clock, () => leftOver(work, items));
      suspects.add(left.map((one) => ({ ...one, dueAt: clock.now() + grace })));
      looked += items.length;
      onItems(looked);
    }
    await suspects.untilAtMost(0, stop);
  }
}

async function* inGroups<Entry>(entries: AsyncIterable<Entry>, size: number): AsyncGenerator<Entry[]> {
  let group: Entry[] = [];
  for await (const entry of entries) {
    group.push(entry);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  yield group;
}

type Work = Pick<Auditing, 'registry' | 'reader' | 'table'>;

/** An item with archived states that should have been erased. */
export interface LeftOver {
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
}

/**
 * The items that are gone and have states left although they did not expire: there is no final state, or an erasure
 * should have removed what is left. Under a rule that erases, an expiry leaves a final state, unless `when` excludes it: of
 * such kinds only erasures tell.
 */
export async function leftOver(work: Work, items: readonly ArchivedItem[]): Promise<readonly LeftOver[]> {
  const { registry, table } = work;
  const known = items.flatMap(({ kind, key, states }) => (key === undefined ? [] : [{ kind, key, states }]));
  const there = byKeyText(registry.table, await table.getMany(known.map(({ key }) => key)));
  const gone = known.filter(({ key }) => !there.has(keyText(key)));
  const left = await allSettledOrThrow(
    gone.map(async ({ kind, key, states }) => {
      const objectKey = objectKeyOf(kind, key);
      const always = !registry.archives.some(({ when }) => when.some((one) => one.kind.name === kind));
      return (await isLeft(work, objectKey, states, always)) ? [{ kind, key, objectKey }] : [];
    }),
  );
  return left.flat();
}

/** Checks again and returns the items that still have states left. */
export async function stillLeftOver(work: Work, items: readonly LeftOver[]): Promise<readonly LeftOver[]> {
  const now = await allSettledOrThrow(
    items.map(async ({ kind, key, objectKey }) => ({
      kind,
      key,
      states: await statesOfObject(work.reader, kind, key, objectKey),
    })),
  );
  return leftOver(work, now);
}

async function isLeft(
  { reader }: Work,
  objectKey: string,
  states: ArchivedItem['states'],
  expiryLeavesFinal: boolean,
): Promise<boolean> {
  const there = await existing(reader, states);
  if (there.length === 0) return false;
  const erased = await erasedUpTo(reader, objectKey);
  const withoutFinal = expiryLeavesFinal && there.every(({ final }) => !final);
  return withoutFinal || there.some(({ sequence = 0n }) => sequence <= erased);
}
