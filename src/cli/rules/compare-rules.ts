import type { Description } from './description.ts';

/** A difference between two versions of a rule. */
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
  rule: { always: ['root', 'copy', 'located', 'rootOf', 'when'], added: ['creates', 'copies', 'derive'] },
  aggregate: { always: ['of', 'on', 'members', 'targetsOf'], added: ['computes'] },
  archive: { always: [], added: [] },
};

/** Compares the descriptions of all rules. */
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
  const backfill =
    after !== undefined &&
    fields.some(
      ([name, difference]) =>
        (before !== undefined && always.includes(name)) ||
        (added.includes(name) && difference.after.length > 0),
    );
  const is = before === undefined ? 'new' : after === undefined ? 'removed' : 'changed';
  return [{ rule: one.rule, type: one.type, is, fields: Object.fromEntries(fields), backfill }];
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((entry) => !others.includes(entry));
}
