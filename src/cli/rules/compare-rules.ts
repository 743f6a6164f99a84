import { styled } from '../output/terminal.ts';
import { visible } from '../output/visible.ts';
import type { Description } from './description.ts';

export interface RuleChange extends Pick<Description, 'rule' | 'type'> {
  readonly is: 'new' | 'removed' | 'changed';
  /** The entries of each field that differs, before and after, without those that both versions have. */
  readonly fields: Readonly<
    Record<string, { readonly before: readonly string[]; readonly after: readonly string[] }>
  >;
  /** Whether existing copies or totals change only with a backfill, or with the next change of their root or members. */
  readonly backfill: boolean;
}

/**
 * The fields whose change concerns existing copies and totals: any change of `always`; of `added` only a new entry, because what
 * a rule no longer writes stays as it is.
 */
const written: Readonly<
  Record<Description['type'], { always: readonly string[]; added: readonly string[] }>
> = {
  rule: {
    always: ['root', 'copy', 'located', 'rootOf', 'when', 'own', 'unknown'],
    added: ['creates', 'copies', 'derive'],
  },
  aggregate: { always: ['of', 'on', 'members', 'targetsOf'], added: ['computes'] },
  archive: { always: [], added: [] },
};

export function compareRules(
  before: readonly Description[],
  after: readonly Description[],
): readonly RuleChange[] {
  const [old, now] = [before, after].map((rules) => new Map(rules.map((one) => [one.rule, one])));
  return [...new Set([...after, ...before].map(({ rule }) => rule))].flatMap((rule) =>
    changeOf(old?.get(rule), now?.get(rule)),
  );
}

function changeOf(before: Description | undefined, after: Description | undefined): RuleChange[] {
  const one = after ?? before;
  if (one === undefined) return [];
  const names = new Set([before, after].flatMap((version) => Object.keys(version?.fields ?? {})));
  const fields = [...names].flatMap((name) => {
    const [was, is] = [before?.fields[name] ?? [], after?.fields[name] ?? []];
    const difference = { before: without(was, is), after: without(is, was) };
    return [...difference.before, ...difference.after].length === 0 ? [] : [[name, difference] as const];
  });
  if (fields.length === 0) return [];
  const { always, added } = written[one.type];
  // A rule that copies all copies what it derives no more.
  const isMirror = after?.fields['copies']?.includes('all') === true;
  const backfill =
    after !== undefined &&
    fields.some(
      ([name, difference]) =>
        (before !== undefined && always.includes(name)) ||
        (added.includes(name) && (isMirror || difference.after.length > 0)),
    );
  const is = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
  return [{ rule: one.rule, type: one.type, is, fields: Object.fromEntries(fields), backfill }];
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((entry) => !others.includes(entry));
}

/** A comparison as text: the entries of each field that are gone and new, then the commands to run. @param from the version before */
export function changesText(from: string, changes: readonly RuleChange[]): string {
  const notCompared = 'Not compared: schemas, and code that functions call or run beside their pattern.';
  if (changes.length === 0) return `No field of a rule differs from ${from}.\n${notCompared}`;
  return [
    styled('bold', `The rules, from ${from} to this working tree`),
    ...changes.map(changeText),
    notCompared,
    afterwards(changes),
  ].join('\n\n');
}

function changeText({ rule, is, fields }: RuleChange): string {
  const notes = { changed: '', new: ' is new', removed: ' is removed: what it wrote stays as it is' };
  const lines = Object.entries(fields).flatMap(([field, { before, after }]) => [
    `  ${field}`,
    ...before.map((entry) => styled('red', `    - ${visible(entry)}`)),
    ...after.map((entry) => styled('green', `    + ${visible(entry)}`)),
  ]);
  return [`${styled('bold', rule)}${notes[is]}`, ...lines].join('\n');
}

function afterwards(changes: readonly RuleChange[]): string {
  const rules = changes.filter(({ backfill }) => backfill).map(({ rule }) => rule);
  if (rules.length === 0) return 'No copy and no total needs an update.';
  return [
    'Copies follow when their root changes next, and totals when a member does; what a rule no longer writes stays. To update all of them once this is deployed:\n',
    ...rules.map((rule) => `  $ npx denorm backfill --rule ${rule} --stack <name>`),
  ].join('\n');
}
