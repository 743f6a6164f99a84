import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { isUpTo } from '../../../model/items/change.ts';
import { byKey } from '../../../model/items/item.ts';
import { isSameKind } from '../../../model/kinds/kind.ts';
import type { BoundArchiveRule } from '../../../model/rules/bound-rule.ts';
import { erasedUpTo } from '../../../worker/archive/erasure.ts';
import { objectKeyOf } from '../../../worker/archive/object.ts';
import { retryOutage } from '../../../worker/retry.ts';
import { type ArchivedItem, allDescribed, listItems, lookupGroups } from '../read-states.ts';
import type { Audit } from './audit.ts';
import type { Claim } from './claim.ts';

/**
 * Searches the archive for items that should have been erased, under rules with `onDelete: 'erase'`: the item is
 * gone, and its states are left without a final state or despite an erasure. Lists every object and looks up every item.
 * @returns the number of items that were looked up
 */
export async function auditErasures(audit: Audit, onItems: (items: number) => void): Promise<number> {
  const { registry, reader, stop } = audit.work;
  let looked = 0;
  for (const rule of registry.archives.filter(({ onDelete }) => onDelete === 'erase')) {
    if (stop()) break;
    const items = listItems(reader, registry.table, { kinds: rule.kinds.map(({ name }) => name) });
    for await (const group of lookupGroups(items, stop)) {
      audit.suspect(await claimsOfListed(audit, rule, group));
      looked += group.length;
      onItems(looked);
    }
  }
  return looked;
}

/**
 * Under a rule that erases, an expiry leaves a final state, unless `when` excludes it: of such kinds only erasures tell.
 * @returns claims that do not hold as listed
 */
async function claimsOfListed(
  { work: { reader, table, clock } }: Audit,
  rule: BoundArchiveRule,
  items: readonly ArchivedItem[],
): Promise<readonly Claim[]> {
  const known = items.flatMap(({ kind: name, key, states }) => {
    const kind = rule.kinds.find((one) => one.name === name);
    return key === undefined || kind === undefined ? [] : [{ kind, key, states }];
  });
  const itemAt = byKey(await retryOutage(clock, () => table.getMany(known.map(({ key }) => key))));
  const claims = await allSettledOrThrow(
    known
      .filter(({ key }) => itemAt(key) === undefined)
      .map(async ({ kind, key, states }): Promise<Claim[]> => {
        const remaining = await allDescribed(reader, states);
        const claim = { rule, kind, key, digest: undefined };
        const leavesFinal = !rule.when.some((one) => isSameKind(one.kind, kind));
        if (leavesFinal && remaining.every(({ final }) => !final))
          return [{ ...claim, that: 'gone', sequence: 0n }];
        const erased = await erasedUpTo({ head: reader.details }, objectKeyOf(kind.name, key));
        return remaining.some(({ sequence = 0n }) => isUpTo(sequence, erased))
          ? [{ ...claim, that: 'erased', sequence: erased }]
          : [];
      }),
  );
  return claims.flat();
}
