import { type Item, keyText } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import type { Registry } from '../../../../model/registry.ts';
import { listItems, readState } from '../../../../operate/archive/read-states.ts';
import { isStored } from '../../../../worker/archive/decision.ts';
import { modelArchiveReader } from '../../table-model/model-archive-reader.ts';
import { sameItem } from '../../table-model/same-value.ts';
import type { World } from '../world/world.ts';

/** Checks that what expired can be restored as it last was (promise 5), read as `denorm archive` reads it. */
export async function checkArchiveAtRest({ registry, archive, table, findings }: World): Promise<void> {
  const ends = table.history.filter(
    ({ before, after, by }) => by === 'service' && after === undefined && isKept(registry, before),
  );
  if (ends.length === 0) return;
  const reader = modelArchiveReader(archive);
  const stored = new Map<string, Item[]>();
  for await (const { key, states } of listItems(reader, table.names))
    if (key !== undefined)
      stored.set(keyText(key), await Promise.all(states.map((state) => readState(reader, state))));
  for (const { key, before } of ends)
    if (stored.get(keyText(key))?.some((item) => sameItem(item, before)) !== true)
      findings.violated(5, 'an item that expired is not in the archive as it last was', keyText(key));
}

/** Whether an archive rule keeps this state, whatever users delete later. */
function isKept({ table, archives }: Registry, item: Item | undefined): boolean {
  return archives.some(
    (rule) =>
      rule.onDelete !== 'erase' &&
      item !== undefined &&
      rule.kinds.some((kind) => isOfKind(table, kind, item) && isStored(table, rule, kind, item)),
  );
}
