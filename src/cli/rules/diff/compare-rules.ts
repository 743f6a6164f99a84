import * as z from 'zod';
import type { Rule } from '../../../model/rule.ts';
import { describeKind, describeRule } from '../describe-rule.ts';
import { lostBy } from './attribute-source.ts';
import { attributeChanges, newAttributes } from './compare-attributes.ts';
import { asksForBackfill, type Effect, type RuleChange } from './rule-change.ts';
import { plainSource, type TreeRules } from './tree-rules.ts';

/** What it means to go from some rules to others. */
export interface RulesDifference {
  readonly changes: readonly RuleChange[];
  /** The rules whose existing copies become what they say only by a backfill, or by the next change of their root. */
  readonly backfill: readonly string[];
  /** The attributes that a strict mirror that is new takes from copies, by rule. */
  readonly lost: Readonly<Record<string, readonly string[]>>;
}

export function compareRules(before: TreeRules, after: TreeRules): RulesDifference {
  const renamed = renames(before, after);
  const changes = [
    ...after.rules.flatMap((rule) => {
      const old = before.rules.find(({ name }) => name === (renamed.get(rule.name) ?? rule.name));
      return old === undefined ? added(after, rule) : changed(before, after, old, rule);
    }),
    ...before.rules
      .filter(
        ({ name }) =>
          !after.rules.some((rule) => rule.name === name) && ![...renamed.values()].includes(name),
      )
      .map(removed),
  ];
  const backfill = [...new Set(changes.filter(asksForBackfill).map(({ rule }) => rule))];
  const lost = after.rules
    .filter(({ name }) => backfill.includes(name))
    .map((rule) => [rule.name, lostBy(after.table, rule)] as const)
    .filter(([, names]) => names.length > 0);
  return { changes, backfill, lost: Object.fromEntries(lost) };
}

/** A rule that says the same under another name, by its new name. */
function renames(before: TreeRules, after: TreeRules): ReadonlyMap<string, string> {
  const gone = before.rules.filter(({ name }) => !after.rules.some((rule) => rule.name === name));
  const come = after.rules.filter(({ name }) => !before.rules.some((rule) => rule.name === name));
  return new Map(
    come.flatMap((rule) => {
      const same = gone.find((old) => comparable(old, rule) && changesIn(after, old, rule).length === 0);
      return same === undefined ? [] : [[rule.name, same.name] as const];
    }),
  );
}

function comparable(old: Rule, rule: Rule): boolean {
  return old.root.name === rule.root.name && old.copy.name === rule.copy.name;
}

function added({ table }: TreeRules, rule: Rule): RuleChange[] {
  const says = `is new: existing copies, ${describeRule(rule).found}, are brought up to date when their root changes, or by a backfill`;
  return [
    change(rule, 'rule', 'none', describeKind(rule.copy), 'appears', says),
    ...newAttributes(table, rule),
  ];
}

function removed(rule: Rule): RuleChange {
  const says =
    'is gone: existing copies stay as they are, and follow no longer; what waits for it in the queue is dead-lettered';
  return change(rule, 'rule', describeKind(rule.copy), 'none', 'stays', says);
}

function changed(before: TreeRules, after: TreeRules, old: Rule, rule: Rule): RuleChange[] {
  const renamed =
    old.name === rule.name
      ? []
      : [
          change(
            rule,
            'name',
            old.name,
            rule.name,
            'nothing',
            'is called otherwise: what waits in the queue under the old name is dead-lettered',
          ),
        ];
  const found = changesIn(after, old, rule);
  const sources = [before.source.get(old.name), after.source.get(rule.name)];
  if (found.length > 0 || renamed.length > 0 || sources[0] === sources[1]) return [...renamed, ...found];
  // What a function calls stands in the rule's file, and shows neither in its own text nor in what it gives here.
  const says =
    'says the same here, but its file has changed: what its functions give cannot be told from here';
  return [change(rule, 'file', `src/rules/${old.name}.ts`, 'another text', 'cannot-tell', says)];
}

function changesIn({ table }: TreeRules, old: Rule, rule: Rule): RuleChange[] {
  const [was, is] = [describeRule(old), describeRule(rule)];
  const differences: readonly (RuleChange | undefined)[] = [
    differing(
      rule,
      'from',
      kindText(old.root),
      kindText(rule.root),
      'elsewhere',
      'has another root: other items match',
    ),
    differing(
      rule,
      'to',
      kindText(old.copy),
      kindText(rule.copy),
      'elsewhere',
      'has other copies: those that there were stay as they are, and follow no longer',
    ),
    found(old, rule),
    roots(old, rule),
    ...takes(old, rule),
    differing(rule, 'reads', was.reads, is.reads, 'nothing', 'matches for other attributes from now on'),
    differing(
      rule,
      'tenant',
      old.tenant ?? 'none',
      rule.tenant ?? 'none',
      'nothing',
      'refuses other writes from now on',
    ),
    differing(
      rule,
      'root deleted',
      was.onDelete,
      is.onDelete,
      'nothing',
      'treats copies otherwise when a root is deleted from now on',
    ),
    differing(
      rule,
      'root expired',
      was.onExpire,
      is.onExpire,
      'nothing',
      'treats copies otherwise when a root expires from now on',
    ),
  ];
  return [...differences.filter((one) => one !== undefined), ...attributeChanges(table, old, rule)];
}

function found(old: Rule, rule: Rule): RuleChange | undefined {
  const [was, is] = [describeRule(old).found, describeRule(rule).found];
  const says = 'finds its copies elsewhere: those where they were stay as they are, and follow no longer';
  if (was !== is) return change(rule, 'found', was, is, 'elsewhere', says);
  const [before, after] = [locationSource(old), locationSource(rule)];
  const other = 'finds its copies by another function: where cannot be told from here';
  return before === after
    ? undefined
    : change(rule, 'found', was, `${is}, by another function`, 'cannot-tell', other);
}

function roots(old: Rule, rule: Rule): RuleChange | undefined {
  if (plainSource(String(old.rootOf)) === plainSource(String(rule.rootOf))) return undefined;
  const says = 'is found by another function: whose copy an item is cannot be told from here';
  return change(rule, 'root of a copy', 'computed', 'computed otherwise', 'cannot-tell', says);
}

/** What a function reads is parsed first: what does not fit cannot be projected. */
function takes(old: Rule, rule: Rule): RuleChange[] {
  return (['root', 'copy'] as const).flatMap((side) =>
    rule.reads[side]
      .filter(
        (name) => old.reads[side].includes(name) && takenAs(old[side], name) !== takenAs(rule[side], name),
      )
      .map((name) => {
        const says = `takes other values than before: which ${side === 'root' ? 'roots' : 'copies'} that concerns cannot be told from here`;
        const texts = [takenAs(old[side], name), takenAs(rule[side], name)] as const;
        return { ...change(rule, `reads of the ${side}`, ...texts, 'cannot-tell', says), attribute: name };
      }),
  );
}

function takenAs({ attributes }: Rule['root'], name: string): string {
  const schema = attributes.shape[name];
  if (schema === undefined) return 'nothing';
  try {
    const { $schema: _, ...said } = z.toJSONSchema(schema, { unrepresentable: 'any' });
    return JSON.stringify(said);
  } catch {
    return 'what its schema takes';
  }
}

function locationSource({ located }: Rule): string {
  return located.in === 'itself' ? '' : plainSource(String(located.at));
}

function kindText(kind: Rule['root']): string {
  return `${describeKind(kind)}${kind.type === undefined ? '' : `, type ${kind.type}`}`;
}

function differing(
  rule: Rule,
  what: string,
  before: string,
  after: string,
  effect: Effect,
  says: string,
): RuleChange | undefined {
  return before === after ? undefined : change(rule, what, before, after, effect, says);
}

function change(
  { name }: Rule,
  what: string,
  before: string,
  after: string,
  effect: Effect,
  says: string,
): RuleChange {
  return { rule: name, what, before, after, effect, says };
}
