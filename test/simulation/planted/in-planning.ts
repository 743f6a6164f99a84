// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code, template strings among it
import { bug, type PlantedBug } from './planted-bug.ts';

const decide = 'src/planning/decide.ts';
const ring = 'src/planning/ring.ts';
const differences = 'src/planning/differences.ts';
const guard = 'src/planning/guard.ts';
const owned = 'src/domain/owned.ts';
const value = 'src/domain/attribute-value.ts';

/** What can go wrong in deciding what rings, what is a root's own, what is to be written and on what condition. */
export const bugsInPlanning: readonly PlantedBug[] = [
  bug('drop the condition', guard, 'expect: expectation(copy, names), narrowed', 'expect: {}, narrowed'),
  bug(
    'condition only on what is written',
    guard,
    'const names = narrowed ? new Set([...read, ...changes]) : all;',
    'const names = new Set(changes);',
  ),
  {
    name: 'condition on what is copied, not on what is read',
    edits: [
      {
        file: guard,
        find: 'const read = [...rule.reads.copy, ...locatingAttributes(rule), ...typeIn(table, rule.copy)];',
        replace: 'const read: string[] = [];',
      },
      {
        file: guard,
        find: '    ...Object.keys(copy).filter((name) => watches(table, rule, name)),\n',
        replace: '',
      },
    ],
  },
  bug(
    'write on what is a copy no more',
    'src/planning/guard.ts',
    '...locatingAttributes(rule), ...typeIn(table, rule.copy)]',
    '...locatingAttributes(rule)]',
  ),
  bug(
    'take an item for a copy whatever its type',
    'src/domain/kind.ts',
    'return kind.type === undefined || type === undefined || text(type) === kind.type;',
    "return kind.type === undefined || text(type) !== '';",
  ),
  bug(
    'compare the first image with the last',
    ring,
    '  const rings: Ring[] = [];\n',
    '  ordered.splice(0, ordered.length, { ...ordered.at(-1), before: ordered[0].before });\n  const rings: Ring[] = [];\n',
  ),
  bug('ring on what is copied, not on what is read', differences, 'rule.reads.root.includes(name) ||', ''),
  bug(
    'visit the new place only',
    ring,
    'const images = before === undefined ? [after] : [before, after];',
    'const images = [after];',
  ),
  bug(
    'visit the places of the first record only',
    ring,
    'inOrder(rings.flatMap((ring) => ring.places))',
    '(rings[0]?.places ?? [])',
  ),
  bug(
    'let the first record say why',
    ring,
    "rings.findLast((ring) => ring.cause !== 'changed')?.cause ?? 'changed'",
    "rings[0]?.cause ?? 'changed'",
  ),
  bug(
    'take expiry for deletion',
    ring,
    'const [cause, policy] = change.expired',
    'const [cause, policy] = false',
  ),
  bug(
    'take deletion for expiry',
    ring,
    'const [cause, policy] = change.expired',
    'const [cause, policy] = true',
  ),
  bug(
    'read the records of an item backwards',
    'src/domain/change.ts',
    'a.sequence < b.sequence ? -1 :',
    'a.sequence > b.sequence ? -1 :',
  ),
  bug(
    'check no copy that is new',
    ring,
    'if (before !== undefined && !hasAny(differencesOfCopy(table, rule, before, after)))',
    'if (before === undefined || !hasAny(differencesOfCopy(table, rule, before, after)))',
  ),
  bug(
    'ring for an item that is its own copy only when it changes',
    ring,
    '() => hasAny(differencesFromItself(table, rule, after)),',
    '() =>\n      hasAny(\n        change.before === undefined\n          ? differencesFromItself(table, rule, after)\n          : differencesOfRoot(table, rule, change.before, after),\n      ),',
  ),
  bug('check what is copied, not what is read', owned, 'rule.reads.copy.includes(attribute) ||', ''),
  bug(
    'check no move of a copy on its index',
    owned,
    '    rule.reads.copy.includes(attribute) ||\n    locatingAttributes(rule).includes(attribute)',
    '    rule.reads.copy.includes(attribute)',
  ),
  bug('copy what is the copy’s own', owned, ' && !rule.own.includes(attribute)', ''),
  bug('copy the expiry', owned, ' || attribute === table.ttl', ''),
  bug('copy index keys', owned, '!indexKeyNames(table).has(attribute) && ', ''),
  bug(
    'forget attributes that the root has lost',
    'src/planning/projection.ts',
    'new Set([...Object.keys(root), ...Object.keys(copy)])',
    'Object.keys(root)',
  ),
  bug(
    'never remove an attribute',
    'src/planning/plan-update.ts',
    'if (value === undefined) remove.push(name);\n    else set',
    'if (value !== undefined) set',
  ),
  bug(
    'write to copies that name another root',
    decide,
    'if (named === undefined || !sameKey(named, sight.rootKey))',
    'if (named === undefined)',
  ),
  bug(
    'write to copies that stand elsewhere',
    decide,
    'if (root !== undefined && standsIn(table, copy, placeOf(table, rule, root)))',
    'if (root !== undefined)',
  ),
  bug(
    'remove the orphans that a check finds',
    decide,
    '  const last = places.at(-1);\n',
    "  if (root === undefined && cause === 'check') return rule.onDelete;\n  const last = places.at(-1);\n",
  ),
  bug(
    'leave the copy at an old place when the root is gone too',
    decide,
    'if (root !== undefined || !standsIn(table, copy, last)) return rule.onDelete;',
    'if (root !== undefined) return rule.onDelete;',
  ),
  bug(
    'remove by an old move without asking where the root is',
    decide,
    "sight.root === undefined ? 'absent' : expectedRoot(table, rule, sight.root)",
    "sight.root === undefined ? 'absent' : {}",
  ),
  bug('write across tenants', decide, 'tenantCrossed(rule, keyIn(table, root), key)', 'undefined'),
  bug('clear across tenants', decide, 'tenantCrossed(rule, sight.rootKey, key)', 'undefined'),
  bug(
    "let one copy's fault stop the others",
    decide,
    "error.concerns === 'copy'",
    "error.concerns === 'none'",
  ),
  bug(
    'delete what is to be cleared',
    'src/planning/plan-removal.ts',
    "const clear = policy === 'clear' ? cleared : undefined;",
    'const clear = undefined;',
  ),
  bug(
    'clear all but the keys',
    'src/planning/plan-removal.ts',
    'filter((name) => owns(table, rule, name))',
    'filter((name) => name !== table.pk && name !== table.sk)',
  ),
  bug(
    'compare unmarshalled numbers',
    value,
    '  const parts = decimal.exec(text.trim());',
    '  if (text !== "") return String(Number(text));\n  const parts = decimal.exec(text.trim());',
  ),
  bug('compare numbers as text', value, 'return `N${canonicalNumber(value.N)}`', 'return `N${value.N}`'),
  bug('compare sets in their order', value, '[...value.SS].sort()', 'value.SS'),
  bug('compare binary by its length', value, 'return `B${base64(value.B)}`', 'return `B${value.B.length}`'),
];
