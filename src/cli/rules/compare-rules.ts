import type { Aggregate } from '../../model/aggregate.ts';
import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Rule } from '../../model/rule.ts';
import { isCopiable, namedOutputs } from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import { describeAggregate, reducerInWords, targetsPattern } from './describe-aggregate.ts';
import { derivationPattern, describeArchiveRule, describeKind, describeRule } from './describe-rule.ts';
import type { RulesVersion } from './rules-version.ts';

/**
 * The effect of a changed rule on existing copies and totals. An attribute `appears`, `goes` or `changes` with the next
 * propagation of its root, or computation of its target; or it `stays` as it is and no longer follows. `elsewhere`: the rule
 * has other copies than before. `nothing`: applies from the next change on.
 */
export type Effect = 'appears' | 'goes' | 'changes' | 'stays' | 'elsewhere' | 'nothing';

/** A difference between two versions of a rule, and its effect. `what` is `attribute`, `rule`, `lookup`, `root deleted`, … */
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
  /** Derived and computed attributes, and targets, of functions without a pattern, which may have changed. */
  readonly notCompared: readonly string[];
}

/** All attributes that neither version names. */
export const anyOther = 'all other attributes';

/** Compares everything that rules express as data, and functions by their patterns, not by their source. */
export function compareRules(before: RulesVersion, after: RulesVersion): RulesDifference {
  const [archives, archivesNow] = [before, after].map((version) => version.archives.map(archivePartsOf));
  const [aggregates, aggregatesNow] = [before, after].map((version) => version.aggregates.map(totalsPartsOf));
  const changes = [
    ...partChanges(before.rules.map(partsOf), after.rules.map(partsOf), added, removed),
    ...after.rules.flatMap((rule) => attributeChanges(after.table, before.rules, rule)),
    ...partChanges(aggregates ?? [], aggregatesNow ?? [], totalsAdded, totalsRemoved),
    ...after.aggregates.flatMap((aggregate) => totalChanges(before.aggregates, aggregate)),
    ...partChanges(archives ?? [], archivesNow ?? [], archiveAdded, archiveRemoved),
  ];
  const notCompared = [
    ...after.rules.flatMap((rule) =>
      Object.keys(rule.derive)
        .filter((name) => derivationPattern(rule, name) === undefined)
        .map((name) => `${name} of ${rule.name}`),
    ),
    ...after.aggregates.flatMap(functionsOf),
  ];
  const backfill = [...new Set(changes.filter(asksForBackfill).map(({ rule }) => rule))];
  return { changes, backfill, notCompared };
}

export function asksForBackfill({ effect }: RuleChange): boolean {
  return effect !== 'stays' && effect !== 'nothing';
}

/** A rule as text, part by part. The first part stands for the whole rule. */
type Parts = readonly [rule: string, parts: Readonly<Record<string, string>>];

function typed(kind: Rule['root']): string {
  return `${describeKind(kind)}${kind.type ? `, type ${kind.type}` : ''}`;
}

function partsOf(rule: Rule): Parts {
  const { found: lookup, creates, when = 'always', reads, onDelete, onExpire } = describeRule(rule);
  const removals = { 'root deleted': onDelete, 'root expired': onExpire };
  const kinds = { target: typed(rule.copy), source: typed(rule.root) };
  const makes = creates ? 'missing copies' : 'no copies';
  return [
    rule.name,
    { ...kinds, lookup, creates: makes, when, reads, tenant: rule.tenant ?? 'none', ...removals },
  ];
}

function archivePartsOf(archive: ArchiveRule): Parts {
  const { rule, kinds, when, layout, storageClass, ages, onDelete } = describeArchiveRule(archive);
  const others = {
    only: when.join('; ') || 'all items',
    layout,
    'storage class': storageClass,
    ages,
    deleted: onDelete,
  };
  return [rule, { archives: kinds.join(', '), ...others }];
}

function totalsPartsOf(aggregate: Aggregate): Parts {
  const { found, reads, limit, every } = describeAggregate(aggregate);
  const parts = {
    target: typed(aggregate.on),
    members: typed(aggregate.of),
    'lookup of members': found.join('; '),
  };
  const targets = targetsPattern(aggregate) ?? 'computed';
  return [
    aggregate.name,
    { ...parts, 'targets of a member': targets, reads, 'at most': limit, computed: every },
  ];
}

/** What is computed by a function, which has no words. */
function functionsOf(aggregate: Aggregate): string[] {
  const computed = Object.entries(aggregate.computes).filter(([, reducer]) => 'from' in reducer);
  const targets = targetsPattern(aggregate) === undefined ? ['targetsOf'] : [];
  return [...targets, ...computed.map(([name]) => name)].map((name) => `${name} of ${aggregate.name}`);
}

function totalChanges(aggregatesBefore: readonly Aggregate[], aggregate: Aggregate): RuleChange[] {
  const old = aggregatesBefore.find(({ name }) => name === aggregate.name);
  const inWords = (one: Aggregate | undefined, attribute: string) => {
    const reducer = one?.computes[attribute];
    return reducer === undefined ? notComputed : reducerInWords(reducer);
  };
  const names = new Set([...Object.keys(old?.computes ?? {}), ...Object.keys(aggregate.computes)]);
  return [...names].toSorted().flatMap((attribute): RuleChange[] => {
    const [before, after] = [inWords(old, attribute), inWords(aggregate, attribute)];
    if (before === after) return [];
    const [effect, says] =
      after === notComputed
        ? noLonger
        : ([before === notComputed ? 'appears' : 'changes', 'is computed'] as const);
    return [{ rule: aggregate.name, what: 'attribute', attribute, before, after, effect, says }];
  });
}

const notComputed = 'not computed';

type Meaning = readonly [effect: Effect, says: string];

const added: Meaning = ['appears', 'is new: copies are updated when their root changes, or by a backfill'];
const removed: Meaning = ['stays', 'is removed: copies stay; its queued messages are dead-lettered'];
const totalsAdded: Meaning = [
  'appears',
  'is new: totals are computed when a member changes, or by a backfill',
];
const totalsRemoved: Meaning = ['stays', 'is removed: totals stay; its queued messages are dead-lettered'];
const noLonger: Meaning = ['stays', 'stays as it is, and no longer follows'];
const otherMembers: Meaning = ['changes', 'totals are computed from other members'];
const archiveAdded: Meaning = ['nothing', 'is new: an item is archived at its next change before it expires'];
const archiveRemoved: Meaning = ['nothing', 'is removed: items expire without it; archived states stay'];
const elsewhere: Meaning = ['elsewhere', 'the copies of before no longer follow'];
const reconsidered: Meaning = [
  'changes',
  'decides which roots have copies: those of the others are treated as if their root were deleted',
];
const created: Meaning = ['appears', 'missing copies are created when their root changes, or by a backfill'];
const fromNowOn: Meaning = ['nothing', 'applies from now on'];

function partChanges(
  before: readonly Parts[],
  after: readonly Parts[],
  ...[whenAdded, whenRemoved]: readonly [Meaning, Meaning]
): RuleChange[] {
  const [old, now] = [new Map(before), new Map(after)];
  return [...new Map([...after, ...before]).keys()].flatMap((rule): RuleChange[] => {
    const [was, is] = [old.get(rule), now.get(rule)];
    const change = (what: string, from = 'none', to = 'none', [effect, says]: Meaning): RuleChange[] =>
      from === to ? [] : [{ rule, what, before: from, after: to, effect, says }];
    if (was === undefined) return change('rule', undefined, Object.values(is ?? {})[0], whenAdded);
    if (is === undefined) return change('rule', Object.values(was)[0], undefined, whenRemoved);
    return Object.keys(is).flatMap((what) =>
      change(what, was[what], is[what], meaningOfPart(what, is[what])),
    );
  });
}

function meaningOfPart(what: string, now: string | undefined): Meaning {
  if (what === 'creates' && now === 'missing copies') return created;
  if (what === 'when') return reconsidered;
  if (/members?$/.test(what)) return otherMembers;
  return /target|source|lookup/.test(what) ? elsewhere : fromNowOn;
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

function attributeChanges(table: TableNames, rulesBefore: readonly Rule[], rule: Rule): RuleChange[] {
  const old = rulesBefore.find(({ name }) => name === rule.name);
  const names = [...new Set([...(old === undefined ? [] : namedBy(old)), ...namedBy(rule)])].sort();
  return [...names, anyOther].flatMap((attribute): RuleChange[] => {
    const before = old === undefined ? own : sourceOf(table, old, attribute);
    const after = sourceOf(table, rule, attribute);
    if (before === after) return [];
    const lost = !(attribute in rule.root.attributes.shape) && attribute in rule.copy.attributes.shape;
    const [effect, sentence] = meaningOf(before, after, lost);
    const index = Object.values(table.indexes).find(({ pk, sk }) => pk === attribute || sk === attribute);
    const key = index === undefined ? '' : `; it is a key of ${index.name}`;
    const texts = { before: old === undefined ? 'no rule' : before, after };
    return [{ rule: rule.name, what: 'attribute', attribute, ...texts, effect, says: `${sentence}${key}` }];
  });
}

/** @param lost whether only copies have the attribute */
function meaningOf(before: string, after: string, lost: boolean): Meaning {
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
