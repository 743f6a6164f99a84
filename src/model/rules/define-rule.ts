import { refusalOf } from '../basics/errors.ts';
import {
  aBoolean,
  aFunction,
  aText,
  object,
  oneOf,
  optional,
  record,
  requirement,
} from '../basics/requirement.ts';
import { isObject } from '../basics/type-of.ts';
import type { IndexNames } from '../items/table-names.ts';
import {
  aKind,
  anIndex,
  attributeNames,
  type FieldsOf,
  isListOfText,
  placing,
  requireListed,
  requireSpec,
  ruleName,
} from '../kinds/spec-fields.ts';
import { locationByFunction } from './declared-location.ts';
import { policyEffects, type Rule, type RuleSpec, removalPolicies } from './rule.ts';
import { namedOutputs, policiesOf, sourceName, writesNothing } from './rule-attributes.ts';
import { withAncestors } from './tree.ts';

// biome-ignore lint/complexity/noBannedTypes: a shape that has no attribute
type AnyRuleSpec = RuleSpec<{}, string, string, {}, string, string, never, never>;

const policy = oneOf(...removalPolicies);

export const ruleFields: FieldsOf<AnyRuleSpec> = {
  name: ruleName,
  root: aKind,
  copy: aKind,
  reads: optional(object({ root: optional(attributeNames), copy: optional(attributeNames) })),
  located: object((located) => ({
    in: oneOf('partition', 'index', 'key', 'keys', 'itself'),
    ...(located['in'] === 'index' && { index: anIndex }),
    ...(located['in'] !== 'itself' && placing(located)),
  })),
  when: optional(object({ root: aFunction })),
  rootOf: optional(aFunction),
  creates: optional(aBoolean),
  copies: optional(
    requirement(
      "a list of attributes, 'all', or an object such as { displayName: 'authorName' }",
      (value) =>
        value === 'all' || isListOfText(value) || (isObject(value) && isListOfText(Object.values(value))),
    ),
  ),
  derive: optional(record(aFunction)),
  ancestors: optional(record(aText)),
  own: optional(attributeNames),
  unknown: optional(oneOf('keep', 'remove')),
  tenant: optional(aText),
  onDelete: policy,
  onExpire: policy,
  onUnlink: optional(policy),
};

/** @throws RuleError if the name is invalid, `rootOf` is missing, nothing is written, or the spec is not what its type says */
export function defineRule<
  Root,
  RootId extends string,
  RootPkId extends string,
  Copy,
  CopyId extends string,
  CopyPkId extends string,
  const RootRead extends keyof Root & string = never,
  const CopyRead extends keyof Copy & string = never,
  const Index extends IndexNames = IndexNames,
>(spec: RuleSpec<Root, RootId, RootPkId, Copy, CopyId, CopyPkId, RootRead, CopyRead, Index>): Rule {
  const { name, located } = spec;
  requireSpec(object(ruleFields), spec, {
    what: typeof name === 'string' ? `rule ${name}` : 'a rule',
    rule: name,
  });
  const { root: readOfRoot = [], copy: readOfCopy = [] } = spec.reads ?? {};
  // Such an item is read once.
  const both = [...readOfRoot, ...readOfCopy];
  const isItself = located.in === 'itself';
  // The casts are safe: these functions are only called with views that viewOf makes from the schemas of the same kinds.
  const defined = {
    is: 'rule',
    ...(spec as unknown as Pick<Rule, 'name' | 'root' | 'copy' | 'onDelete' | 'onExpire'>),
    located: locationByFunction(name, spec.located, spec.root, spec.copy) as unknown as Rule['located'],
    reads: isItself ? { root: both, copy: both } : { root: readOfRoot, copy: readOfCopy },
    when: spec.when as unknown as Rule['when'],
    rootOf: (spec.rootOf ?? (() => undefined)) as unknown as Rule['rootOf'],
    creates: spec.creates ?? false,
    ...copiesOf(spec.copies),
    derive: (spec.derive ?? {}) as unknown as Rule['derive'],
    own: spec.own ?? [],
    unknown: spec.unknown ?? 'keep',
    tenant: spec.tenant,
    onUnlink: spec.onUnlink ?? 'keep',
  } satisfies Rule;
  const rule = spec.ancestors === undefined ? defined : withAncestors(defined, spec.ancestors);
  checkAttributes(rule, readOfRoot, readOfCopy);
  const refuse = refusalOf(rule);
  if (!isItself && spec.rootOf === undefined)
    throw refuse('rule.rootless', 'has no way from a copy to its root: add rootOf');
  const named = namedOutputs(rule);
  const twice = named.find((one, index) => named.indexOf(one) < index);
  if (twice !== undefined)
    throw refuse(
      'rule.owned-twice',
      `writes '${twice}' twice: remove it from copies or derive, or rename one in copies`,
    );
  const removesNothing = policiesOf(rule).every(
    (one) => policyEffects[one].keeps || policyEffects[one].clears,
  );
  if (writesNothing(rule) && (rule.creates || isItself || removesNothing))
    throw refuse(
      'rule.idle',
      "writes nothing: add copies or derive, or set onDelete to 'delete' if it only removes copies",
    );
  return rule;
}

/** The copy's names of what is copied, and the root's where they differ. */
function copiesOf(
  copies: readonly string[] | 'all' | Readonly<Record<string, string | undefined>> = [],
): Pick<Rule, 'copies' | 'renamed'> {
  if (typeof copies === 'string' || isNames(copies)) return { copies, renamed: {} };
  const named = Object.entries(copies).flatMap(([from, to]) =>
    to === undefined ? [] : [[to, from] as const],
  );
  return {
    copies: named.map(([to]) => to),
    renamed: Object.fromEntries(named.filter(([to, from]) => to !== from)),
  };
}

function isNames(copies: object): copies is readonly string[] {
  return Array.isArray(copies);
}

/** Attributes that a rule names must be in the schemas. */
function checkAttributes(rule: Rule, readOfRoot: readonly string[], readOfCopy: readonly string[]): void {
  const { name, root, copy, copies, renamed, derive, own, located } = rule;
  // An item that is its own copy copies nothing: the registry says so, whatever the attribute.
  const copied = copies === 'all' || located.in === 'itself' ? [] : copies;
  const copying = Object.keys(renamed).length > 0 ? 'copies, as { nameInRoot: nameInCopy },' : 'copies';
  const named = [
    ['reads.root', readOfRoot, root],
    ['reads.copy', readOfCopy, copy],
    [copying, copied.map((one) => sourceName(rule, one)), root],
    [copying, copied, copy],
    ['derive', Object.keys(derive), copy],
    ['own', own, copy],
  ] as const;
  for (const [field, names, kind] of named)
    requireListed(names, kind, { what: `${field} of rule ${name}`, rule: name });
}
