import type { Rule } from '../../model/rule.ts';
import { isCopiable } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { derivationPattern, describeArchiveRule, describeKind, describeRule } from './describe-rule.ts';
import type { RulesVersion } from './rules-version.ts';

/**
 * The effect of a changed rule on existing copies:
 * - `appears`, `goes`, `changes`: an attribute of the copy, with the next propagation of its root
 * - `stays`: the attribute stays as it is, and no longer follows the root
 * - `elsewhere`: the rule has other copies, or finds them in another location
 * - `nothing`: applies from the next change on
 */
export type Effect = 'appears' | 'goes' | 'changes' | 'stays' | 'elsewhere' | 'nothing';

/** A difference between two versions of a rule, and its effect. */
export interface RuleChange {
  readonly rule: string;
  /** `attribute`, `rule`, `lookup`, `reads`, `root deleted`, `archive`, … */
  readonly what: string;
  readonly attribute?: string;
  readonly before: string;
  readonly after: string;
  readonly effect: Effect;
  readonly says: string;
}

export interface RulesDifference {
  readonly changes: readonly RuleChange[];
  /** Rules whose existing copies change only with a backfill or the next change of their root. */
  readonly backfill: readonly string[];
  /** Attributes that a new strict mirror removes from copies, by rule. */
  readonly lost: Readonly<Record<string, readonly string[]>>;
  /** Derived attributes without a pattern. Their functions may have changed. */
  readonly notCompared: readonly string[];
}

/** All attributes that neither version names. */
export const anyOther = 'all other attributes';

/**
 * Compares everything that rules express as data. Functions are compared by their patterns, not by their
 * source.
 */
export function compareRules(before: RulesVersion, after: RulesVersion): RulesDifference {
  const changes = [
    ...after.rules.flatMap((rule) => {
      const old = before.rules.find(({ name }) => name === rule.name);
      return old === undefined ? added(after.table, rule) : changed(after.table, old, rule);
    }),
    ...before.rules.filter(({ name }) => !after.rules.some((rule) => rule.name === name)).map(removed),
  ];
  const backfill = [...new Set(changes.filter(asksForBackfill).map(({ rule }) => rule))];
  const lost = after.rules
    .filter(({ name }) => backfill.includes(name))
    .map((rule) => [rule.name, lostBy(after.table, rule)] as const)
    .filter(([, names]) => names.length > 0);
  const notCompared = after.rules.flatMap((rule) =>
    Object.keys(rule.derive)
      .filter((name) => derivationPattern(rule, name) === undefined)
      .map((name) => `${name} of ${rule.name}`),
  );
  return { changes, backfill, lost: Object.fromEntries(lost), notCompared };
}

export function asksForBackfill({ effect }: RuleChange): boolean {
  return effect !== 'stays' && effect !== 'nothing';
}

function added(table: TableNames, rule: Rule): RuleChange[] {
  const says = `is new: existing copies, ${describeRule(rule).found}, are updated when their root changes, or by a backfill`;
  return [
    {
      ...{ rule: rule.name, what: 'rule', before: 'none', after: describeKind(rule.copy) },
      ...{ effect: 'appears', says },
    },
    ...attributeChanges(table, undefined, rule),
  ];
}

function removed(rule: Rule): RuleChange {
  return {
    ...{ rule: rule.name, what: 'rule', before: describeKind(rule.copy), after: 'none', effect: 'stays' },
    says: 'is removed: existing copies stay as they are and no longer follow; its queued messages are dead-lettered',
  };
}

function changed(table: TableNames, old: Rule, rule: Rule): RuleChange[] {
  const [was, is] = [describeRule(old), describeRule(rule)];
  const fields: readonly (readonly [string, string, string, Effect, string])[] = [
    ['source', kindText(old.root), kindText(rule.root), 'elsewhere', 'has another root: other items match'],
    [
      'target',
      kindText(old.copy),
      kindText(rule.copy),
      'elsewhere',
      'has other copies: the present ones no longer follow',
    ],
    [
      'lookup',
      was.found,
      is.found,
      'elsewhere',
      'finds its copies elsewhere: the present ones no longer follow',
    ],
    ['reads', was.reads, is.reads, 'nothing', 'matches changes of other attributes from now on'],
    ['tenant', old.tenant ?? 'none', rule.tenant ?? 'none', 'nothing', 'refuses other writes from now on'],
    ['root deleted', was.onDelete, is.onDelete, 'nothing', 'applies to roots that are deleted from now on'],
    ['root expired', was.onExpire, is.onExpire, 'nothing', 'applies to roots that expire from now on'],
  ];
  return [
    ...fields
      .filter(([, before, after]) => before !== after)
      .map(([what, before, after, effect, says]) => ({ rule: rule.name, what, before, after, effect, says })),
    ...attributeChanges(table, old, rule),
  ];
}

function kindText(kind: Rule['root']): string {
  return `${describeKind(kind)}${kind.type === undefined ? '' : `, type ${kind.type}`}`;
}

const own = 'the copy’s own';
const strict = 'as the root has it';
const loose = 'as the root has it, if it does';

/** The source of a copy's attribute: a pattern, the root, or the copy itself. */
function sourceOf(table: TableNames, rule: Rule, attribute: string): string {
  if (Object.hasOwn(rule.derive, attribute)) return derivationPattern(rule, attribute) ?? 'computed';
  if (rule.copies !== 'all') return rule.copies.includes(attribute) ? strict : own;
  if (!isCopiable(table, rule, attribute)) return own;
  return rule.unknown === 'remove' ? strict : loose;
}

function attributeChanges(table: TableNames, old: Rule | undefined, rule: Rule): RuleChange[] {
  const names = [...new Set([old, rule].flatMap((one) => (one === undefined ? [] : namedBy(one))))].sort();
  return [...names, anyOther].flatMap((attribute): RuleChange[] => {
    const before = old === undefined ? own : sourceOf(table, old, attribute);
    const after = sourceOf(table, rule, attribute);
    if (before === after) return [];
    const [effect, says] = meaningOf(before, after);
    const index = Object.values(table.indexes).find(({ pk, sk }) => pk === attribute || sk === attribute);
    const key = index === undefined ? '' : `; it is a key of ${index.name}`;
    const texts = { before: old === undefined ? 'no rule' : before, after };
    return [{ rule: rule.name, what: 'attribute', attribute, ...texts, effect, says: `${says}${key}` }];
  });
}

function meaningOf(before: string, after: string): readonly [Effect, string] {
  if (after === own) return ['stays', 'stays as it is, and no longer follows'];
  if (before === loose && after === strict) return ['goes', 'is removed if the root has none'];
  if (before === strict && after === loose) return ['nothing', 'stays from now on if the root loses it'];
  const effect = before === own ? 'appears' : 'changes';
  if (after === strict) return [effect, 'becomes what the root has, and is removed if the root has none'];
  return [effect, after === loose ? 'becomes what the root has' : 'is written'];
}

function namedBy({ root, copy, copies, derive, own: owned }: Rule): string[] {
  const schemas = [root, copy].flatMap((kind) => Object.keys(kind.attributes.shape));
  return [...schemas, ...(copies === 'all' ? [] : copies), ...Object.keys(derive), ...owned];
}

/**
 * The attributes that a strict mirror removes from copies: those in the copy's schema but not in the root's.
 */
function lostBy(table: TableNames, rule: Rule): string[] {
  if (rule.copies !== 'all' || rule.unknown !== 'remove') return [];
  const { root, copy } = rule;
  return Object.keys(copy.attributes.shape).filter(
    (name) => !(name in root.attributes.shape) && sourceOf(table, rule, name) === strict,
  );
}

/** Compares archiving by kind, because a kind may move from one rule to another. */
export function compareArchives(before: RulesVersion, after: RulesVersion): RuleChange[] {
  const kinds = [...before.archives, ...after.archives].flatMap((rule) => rule.kinds.map(({ name }) => name));
  return [...new Set(kinds)].flatMap((kind): RuleChange[] => {
    const [was, is] = [before, after].map(({ archives }) => {
      const rule = archives.find((one) => one.kinds.some(({ name }) => name === kind));
      return rule && describeArchiveRule(rule);
    });
    const of = { rule: (is ?? was)?.rule ?? '', attribute: kind, effect: 'nothing' } as const;
    if (is === undefined || was === undefined) {
      const [old, now] = is === undefined ? ['archived', 'not archived'] : ['not archived', 'archived'];
      const says =
        is === undefined
          ? 'expires without being archived from now on; archived states stay'
          : 'is archived at its next change before it expires: `denorm archive audit` finds what is missing';
      return [{ ...of, what: 'archive', before: old, after: now, says }];
    }
    const says = 'applies from now on; archived states stay as they are';
    const aged = 'the next sweep archives items that are old enough, and sets their TTL';
    const fields: readonly (readonly [string, string, string, string])[] = [
      ['layout', was.layout, is.layout, says],
      ['storage class', was.storageClass, is.storageClass, says],
      ['ages', was.ages, is.ages, is.ages === 'never' ? 'the sweep sets no more expiries' : aged],
      ['deleted', was.onDelete, is.onDelete, says],
    ];
    return fields
      .filter(([, old, now]) => old !== now)
      .map(([what, old, now, meaning]) => ({ ...of, what, before: old, after: now, says: meaning }));
  });
}
