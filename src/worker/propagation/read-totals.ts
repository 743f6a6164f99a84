import type { Aggregate } from '../../model/aggregate.ts';
import type { QueriedLocation } from '../../model/copy-location.ts';
import { unlessInvalid } from '../../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyText, withKey } from '../../model/item.ts';
import { headOf } from '../../model/ledger.ts';
import { copiesInLocations, type Reading } from './copy-pages.ts';
import { Totals } from './plan/totals.ts';

/** @returns undefined if the time was up @throws InvalidItemError that names the member, one of maybe thousands */
export async function readTotals(
  reading: Reading,
  aggregate: Aggregate,
  target: Item,
): Promise<Totals | undefined> {
  const names = reading.registry.table;
  const totals = new Totals(names, aggregate, target);
  if (aggregate.areHeads) {
    const heads = byKeyText(names, await reading.table.getMany(totals.locations.map(keyOfHead)));
    for (const location of totals.locations) {
      const head = heads.get(keyText(keyOfHead(location)));
      if (head !== undefined) totals.add(head, location);
    }
    return totals;
  }
  for await (const { copies, location, following } of copiesInLocations(reading, totals)) {
    unlessInvalid(
      () => {
        for (const member of copies) totals.add(member, location);
      },
      (error) => {
        throw error.concerns === 'member' ? withKey(names, error) : error;
      },
    );
    if (following === undefined) return totals;
    if (reading.outOfTime?.()) break;
  }
  return undefined;
}

/** A ledger's table has keys of text. */
function keyOfHead({ pk }: QueriedLocation): ItemKey {
  return headOf({ pk: String(pk) });
}
