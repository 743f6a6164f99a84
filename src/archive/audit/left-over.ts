import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { byKeyText, type ItemKey, keyText } from '../../model/item.ts';
import { objectKeyOf } from '../object.ts';
import { statesOfObject } from '../object-states.ts';
import type { ArchivedItem } from '../read-states.ts';
import type { Auditing } from './audit-context.ts';
import { erasedUpTo, standing } from './classify-object.ts';

type Work = Pick<Auditing, 'registry' | 'reader' | 'table'>;

/** An item of which something is archived that ought to have been erased. */
export interface LeftOver {
  readonly kind: string;
  readonly key: ItemKey;
  readonly objectKey: string;
}

/**
 * Those of the items that are gone, and of which states are left though they did not expire: no last state says that they
 * did, or an erasure should have taken what is left. Under a rule that erases, an expiry always leaves a last state.
 */
export async function leftOver(work: Work, items: readonly ArchivedItem[]): Promise<readonly LeftOver[]> {
  const { registry, table } = work;
  const known = items.flatMap(({ kind, key, states }) => (key === undefined ? [] : [{ kind, key, states }]));
  const there = byKeyText(registry.table, await table.getMany(known.map(({ key }) => key)));
  const gone = known.filter(({ key }) => !there.has(keyText(key)));
  const left = await allSettledOrThrow(
    gone.map(async ({ kind, key, states }) => {
      const objectKey = objectKeyOf(kind, key);
      return (await isLeft(work, objectKey, states)) ? [{ kind, key, objectKey }] : [];
    }),
  );
  return left.flat();
}

/** Those that are still left over, looked at anew. */
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

async function isLeft({ reader }: Work, objectKey: string, states: ArchivedItem['states']): Promise<boolean> {
  const there = await standing(reader, states);
  if (there.length === 0) return false;
  const erased = await erasedUpTo(reader, objectKey);
  return there.every(({ final }) => !final) || there.some(({ sequence = 0n }) => sequence <= erased);
}
