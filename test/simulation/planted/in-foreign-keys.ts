import { bug, type PlantedBug } from './planted-bug.ts';

/** Declared index keys, copies under other names, values of other types, copies that stop naming their root, means. */
export const bugsInForeignKeys: readonly PlantedBug[] = [
  bug(
    'copy what the root calls by the name of the copy',
    'RootProjection',
    'attribute(root, sourceName(rule, name))',
    'attribute(root, name)',
  ),
  bug(
    'unlink by the event, whatever the copy names now',
    'planCopy',
    'if (named === undefined || !sameKey(named, snapshot.rootKey)) {',
    "if (named === undefined || !sameKey(named, snapshot.rootKey)) { if (snapshot.cause === 'check' && rule.onUnlink !== 'keep' && isOfKind(rule.copy, item)) return remove(snapshot, copy, rule.onUnlink);",
  ),
  bug(
    'count members without a value into the mean',
    'Totals',
    'if (value === undefined) continue;',
    'if (value === undefined) { this.counted.set(name, (this.counted.get(name) ?? 0) + 1); continue; }',
  ),
];
