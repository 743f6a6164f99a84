import { bug, type PlantedBug } from './planted-bug.ts';

/** Declared index keys, copies under other names, values of other types, copies that stop naming their root, means. */
export const bugsInForeignKeys: readonly PlantedBug[] = [
  bug(
    'leave an index key of an item that lost its foreign key',
    'derivationsOf',
    'declared.every((one) =>',
    'declared.some((one) =>',
  ),
  bug(
    'derive a list without its first member',
    'fromDerived',
    'value.map(fromDerived)',
    'value.slice(1).map(fromDerived)',
  ),
  bug(
    'copy what the root calls by the name of the copy',
    'RootProjection',
    'attribute(root, sourceName(rule, name))',
    'attribute(root, name)',
  ),
  bug(
    'match changes of the root by the names of the copy',
    'isCopied',
    'return rule.copies.some((name) => sourceName(rule, name) === attribute);',
    'return rule.copies.includes(attribute);',
  ),
  bug(
    'leave a copy that stops naming its root',
    'matchRule',
    'rule.creates || isUnlinked(table, rule, change.after)',
    'rule.creates',
  ),
  bug(
    'end every copy that names no root, found by whatever propagation',
    'planCopy',
    "snapshot.cause === 'check' &&",
    '',
  ),
  bug(
    'unlink by the event, whatever the copy names now',
    'planCopy',
    'if (named === undefined || !sameKey(named, snapshot.rootKey)) {',
    "if (named === undefined || !sameKey(named, snapshot.rootKey)) { if (snapshot.cause === 'check' && rule.onUnlink !== 'keep' && isOfKind(table, rule.copy, copy)) return remove(snapshot, copy, rule.onUnlink);",
  ),
  bug(
    'count members without a value into the mean',
    'Totals',
    'if (value === undefined) continue;',
    "if (value === undefined) { if (reducer.add === 'average') this.counted.set(name, (this.counted.get(name) ?? 0) + 1); continue; }",
  ),
];
