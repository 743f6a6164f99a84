import type { Aggregate } from '../../model/aggregate.ts';
import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Rule } from '../../model/rule.ts';
import { isCopiable, namedOutputs, onlyRemoves } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import {
  differenceOf,
  type FieldText,
  fieldsOf,
  fieldText,
  functionText,
  none,
  plain,
} from './field-text.ts';
import type { RulesVersion } from './rules-version.ts';

/**
 * The effect of a changed rule on existing copies and totals. An attribute `appears`, `goes` or `changes` with the next
 * propagation of its root, or computation of its target; or it `stays` as it is and no longer follows. `elsewhere`: the rule
 * has other copies than before. `nothing`: applies from the next change on.
 */
export type Effect = 'appears' | 'goes' | 'changes' | 'stays' | 'elsewhere' | 'nothing';

/** A difference between two versions of a rule, and its effect. `what` is `rule`, `attribute`, or a field: `located.at`. */
export interface RuleChange {
  readonly rule: string;
  readonly what: string;
  readonly attribute?: string;
  readonly before: string;
  readonly after: string;
  readonly effect: Effect;
  readonly says: string;
}

export interface RulesDifference {
  readonly changes: readonly RuleChange[];
  /** Rules whose existing copies change only with a backfill or the next change of their root, and aggregates likewise. */
  readonly backfill: readonly string[];
}

/** All attributes that neither version names. */
export const anyOther = 'all other attributes';

/** Compares every field of every rule: of functions their sources, and the patterns of what they return. */
export function compareRules(before: RulesVersion, after: RulesVersion): RulesDifference {
  const changes = [
    ...fieldChanges(before.rules, after.rules, ofRules),
    ...after.rules.flatMap((rule) => attributeChanges(before, after.table, rule)),
    ...fieldChanges(before.aggregates, after.aggregates, ofAggregates),
    ...fieldChanges(before.archives, after.archives, ofArchives),
  ];
  const backfill = [...new Set(changes.filter(asksForBackfill).map(({ rule }) => rule))];
  return { changes, backfill };
}

export function asksForBackfill({ effect }: RuleChange): boolean {
  return effect !== 'stays' && effect !== 'nothing';
}

type Meaning = readonly [effect: Effect, says: string];

const noLonger: Meaning = ['stays', 'stays as it is, and no longer follows'];
const elsewhere: Meaning = ['elsewhere', 'copies that only the rule of before found no longer follow'];
const otherMembers: Meaning = ['changes', 'totals are computed anew'];
const created: Meaning = ['appears', 'missing copies are created when their root changes, or by a backfill'];
const fromNowOn: Meaning = ['nothing', 'applies from now on'];
const reconsidered: Meaning = [
  'changes',
  'decides which roots have copies: those of the others are treated as if their root were deleted',
];

/** What it means if a rule of one type is new or removed, or if one of its fields changes. */
interface Meanings<Some> {
  /** Stands for the whole rule. */
  readonly target: (rule: Some) => unknown;
  readonly added: (rule: Some) => Meaning;
  readonly removed: Meaning;
  /** Undefined for a field that {@link attributeChanges} compares. */
  readonly ofField: (path: string, before: FieldText, after: FieldText) => Meaning | undefined;
}

const ofRules: Meanings<Rule> = {
  target: ({ copy }) => copy,
  added: (rule) =>
    onlyRemoves(rule)
      ? ['nothing', 'is new: copies are removed when their root is']
      : ['appears', 'is new: copies are updated when their root changes, or by a backfill'],
  removed: ['stays', 'is removed: copies stay; its queued messages are dead-lettered'],
  ofField(path, _, { source }) {
    if (/^(copies|derive|own|unknown)\b/.test(path)) return undefined;
    if (path === 'creates' && source === 'true') return created;
    if (path.startsWith('when.')) return reconsidered;
    return /^(root|copy|located|rootOf)\b/.test(path) ? elsewhere : fromNowOn;
  },
};

const ofAggregates: Meanings<Aggregate> = {
  target: ({ on }) => on,
  added: () => ['appears', 'is new: totals are computed when a member changes, or by a backfill'],
  removed: ['stays', 'is removed: totals stay; its queued messages are dead-lettered'],
  ofField(path, before, after) {
    if (/^(of|on|members|targetsOf)\b/.test(path)) return otherMembers;
    if (!path.startsWith('computes.')) return fromNowOn;
    return after === none ? noLonger : [before === none ? 'appears' : 'changes', 'is computed'];
  },
};

const ofArchives: Meanings<ArchiveRule> = {
  target: ({ kinds }) => kinds,
  added: () => ['nothing', 'is new: an item is archived at its next change before it expires'],
  removed: ['nothing', 'is removed: items expire without it; archived states stay'],
  ofField: () => fromNowOn,
};

function fieldChanges<Some extends { readonly name: string }>(
  before: readonly Some[],
  after: readonly Some[],
  { target, added, removed, ofField }: Meanings<Some>,
): RuleChange[] {
  const [old, now] = [before, after].map((rules) => new Map(rules.map((rule) => [rule.name, rule])));
  return [...new Set([...after, ...before].map(({ name }) => name))].flatMap((name): RuleChange[] => {
    const [was, is] = [old?.get(name), now?.get(name)];
    const change = (what: string, from: FieldText, to: FieldText, meaning?: Meaning): RuleChange[] => {
      const difference = differenceOf(from, to);
      if (difference === undefined || meaning === undefined) return [];
      return [{ rule: name, what, ...difference, effect: meaning[0], says: meaning[1] }];
    };
    if (was === undefined) return is ? change('rule', none, fieldText(target(is)), added(is)) : [];
    if (is === undefined) return change('rule', fieldText(target(was)), none, removed);
    const [fields, fieldsNow] = [fieldsOf(was), fieldsOf(is)];
    return [...new Set([...fields.keys(), ...fieldsNow.keys()])].flatMap((path) => {
      const [from, to] = [fields.get(path) ?? none, fieldsNow.get(path) ?? none];
      return change(path, from, to, ofField(path, from, to));
    });
  });
}

const own = plain('the copy’s own');
const strict = plain('as the root has it');
const loose = plain('as the root has it, if it does');

/** The source of a copy's attribute: a function, the root, or the copy itself. */
function sourceOf(table: TableNames, rule: Rule, attribute: string): FieldText {
  const derive = Object.hasOwn(rule.derive, attribute) ? rule.derive[attribute] : undefined;
  if (derive !== undefined) return functionText(derive, (view) => [{ root: view, copy: view }]);
  if (rule.copies !== 'all') return rule.copies.includes(attribute) ? strict : own;
  if (!isCopiable(table, rule, attribute)) return own;
  return rule.unknown === 'remove' ? strict : loose;
}

function attributeChanges(version: RulesVersion, table: TableNames, rule: Rule): RuleChange[] {
  const old = version.rules.find(({ name }) => name === rule.name);
  const names = [...new Set([...(old === undefined ? [] : namedBy(old)), ...namedBy(rule)])].sort();
  return [...names, anyOther].flatMap((attribute): RuleChange[] => {
    const before = old === undefined ? own : sourceOf(version.table, old, attribute);
    const after = sourceOf(table, rule, attribute);
    const difference = differenceOf(before, after);
    if (difference === undefined) return [];
    const lost = !(attribute in rule.root.attributes.shape) && attribute in rule.copy.attributes.shape;
    const [effect, sentence] = meaningOf(before, after, lost);
    const index = Object.values(table.indexes).find(({ pk, sk }) => pk === attribute || sk === attribute);
    const key = index === undefined ? '' : `; it is a key of ${index.name}`;
    const texts = { ...difference, ...(old === undefined && { before: 'no rule' }) };
    return [{ rule: rule.name, what: 'attribute', attribute, ...texts, effect, says: `${sentence}${key}` }];
  });
}

/** @param lost whether only copies have the attribute */
function meaningOf(before: FieldText, after: FieldText, lost: boolean): Meaning {
  if (after === own) return noLonger;
  if (before === strict && after === loose) return ['nothing', 'stays from now on if the root loses it'];
  if (after === strict && lost) return ['goes', 'is removed: the kind of the root has no such attribute'];
  if (before === loose && after === strict) return ['goes', 'is removed if the root has none'];
  const effect = before === own ? 'appears' : 'changes';
  if (after === strict) return [effect, 'becomes what the root has, and is removed if the root has none'];
  return [effect, after === loose ? 'becomes what the root has' : 'is written'];
}

function namedBy(rule: Rule): string[] {
  const kinds = [rule.root, rule.copy].flatMap((kind) => Object.keys(kind.attributes.shape));
  return [...kinds, ...namedOutputs(rule), ...rule.own];
}
