import type { Group } from '../batch/group.ts';
import type { ArchiveRule } from '../model/archive-rule.ts';
import { type Change, inSequence } from '../model/change.ts';
import { attribute, type Item } from '../model/item.ts';
import type { AnyKind } from '../model/kind.ts';
import { archivedAs, type Registry } from '../model/registry.ts';
import type { StateOfItem } from './archive-lines.ts';

/** States of one kind that become one object, and the records that wait for it. */
export interface LinesOfKind {
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly ids: readonly string[];
  readonly states: readonly StateOfItem[];
}

/** What the records of a batch give to store under rules with the layout `batch`: one object for each kind. */
export function linesByKind(registry: Registry, groups: readonly Group[]): readonly LinesOfKind[] {
  const byKind = new Map<
    string,
    { rule: ArchiveRule; kind: AnyKind; ids: Set<string>; states: StateOfItem[] }
  >();
  for (const { ids, changes } of groups)
    for (const { change, final, image } of keptImages(registry, changes)) {
      const found = archivedAs(registry, image);
      if (found?.rule.layout !== 'batch') continue;
      const lines = byKind.get(found.kind.name) ?? { ...found, ids: new Set(), states: [] };
      byKind.set(found.kind.name, lines);
      for (const id of ids) lines.ids.add(id);
      lines.states.push({ key: change.key, item: image, sequence: change.sequence, final, at: change.at });
    }
  return [...byKind.values()].map((lines) => ({ ...lines, ids: [...lines.ids] }));
}

interface KeptImage {
  readonly change: Change;
  readonly final: boolean;
  readonly image: Item;
}

/** The last state of each life that ended, and the newest state if it is going to expire: what came between is no more. */
function keptImages(registry: Registry, changes: readonly Change[]): readonly KeptImage[] {
  const ordered = inSequence(changes);
  const kept = ordered.flatMap((change): KeptImage[] => {
    const last = change.after === undefined ? change.before : undefined;
    if (last === undefined) return [];
    const isKept = change.expired || archivedAs(registry, last)?.rule.onDelete === 'archive';
    return isKept ? [{ change, final: true, image: last }] : [];
  });
  const newest = ordered.at(-1);
  if (newest?.after === undefined || attribute(newest.after, registry.table.ttl) === undefined) return kept;
  return [...kept, { change: newest, final: false, image: newest.after }];
}
