import { RuleError } from './errors.ts';
import type { AnyKind } from './kind.ts';
import { didYouMean } from './nearest.ts';
import type { RuleSpec } from './rule.ts';
import {
  aBoolean,
  aKind,
  anIndex,
  aText,
  attributeNames,
  callable,
  type Field,
  type FieldsOf,
  isObject,
  oneOf,
  optional,
  recordOf,
  refuseField,
  ruleName,
  wrongField,
} from './spec-fields.ts';

// biome-ignore lint/complexity/noBannedTypes: a shape that has no attribute
type AnyRuleSpec = RuleSpec<{}, string, string, {}, string, string, never, never>;

const policy = oneOf('delete', 'clear', 'keep');

const object: Field = { expected: 'an object', fits: isObject };

const ruleFields: FieldsOf<AnyRuleSpec> = {
  name: ruleName,
  root: aKind,
  copy: aKind,
  reads: optional(object),
  located: object,
  when: optional(object),
  rootOf: optional(callable),
  creates: optional(aBoolean),
  copies: optional({
    expected: "a list of attributes, or 'all'",
    fits: (value) => value === 'all' || attributeNames.fits(value),
  }),
  derive: optional(recordOf('a function for each attribute', callable.fits)),
  own: optional(attributeNames),
  unknown: optional(oneOf('keep', 'remove')),
  tenant: optional(aText),
  onDelete: policy,
  onExpire: policy,
};

const readsFields: FieldsOf<NonNullable<AnyRuleSpec['reads']>> = {
  root: optional(attributeNames),
  copy: optional(attributeNames),
};

const whenFields: FieldsOf<NonNullable<AnyRuleSpec['when']>> = { root: callable };

const located = oneOf('partition', 'index', 'key', 'keys', 'itself');

/**
 * Refuses a spec that its types would refuse: `denorm` and Lambda run a project without them.
 * @throws RuleError `rule.unknown-field`, `rule.invalid-field` or `rule.unknown-attribute`
 */
export function checkRuleSpec(spec: AnyRuleSpec): void {
  const { name } = spec;
  const what = `rule ${name}`;
  refuseField(wrongField(typeof name === 'string' ? what : 'a rule', spec, ruleFields), name);
  refuseField(wrongField(`reads of ${what}`, spec.reads ?? {}, readsFields), name);
  refuseField(wrongField(`when of ${what}`, spec.when ?? { root: () => true }, whenFields), name);
  refuseField(wrongField(`located of ${what}`, spec.located, locatedFields(spec.located.in)), name);
  checkAttributes(spec);
}

function locatedFields(where: unknown): Readonly<Record<string, Field>> {
  const at = where === 'itself' ? {} : { at: callable };
  return { in: located, ...(where === 'index' && { index: anIndex }), ...at };
}

/** Attributes that a rule names, and the kinds whose schemas must list them. */
function checkAttributes({ name, root, copy, located: where, ...spec }: AnyRuleSpec): void {
  const readOfRoot: readonly string[] = spec.reads?.root ?? [];
  const readOfCopy: readonly string[] = spec.reads?.copy ?? [];
  const copied: readonly string[] = spec.copies === 'all' ? [] : (spec.copies ?? []);
  // An item that is its own copy copies nothing: the registry says so, whatever the attribute.
  const both = where.in === 'itself' ? [] : [root, copy];
  const named: readonly (readonly [field: string, names: readonly string[], kinds: readonly AnyKind[]])[] = [
    ['reads.root', readOfRoot, [root]],
    ['reads.copy', readOfCopy, [copy]],
    ['copies', copied, both],
    ['derive', Object.keys(spec.derive ?? {}), [copy]],
    ['own', spec.own ?? [], [copy]],
  ];
  for (const [field, names, kinds] of named)
    for (const kind of kinds) requireListed(`${field} of rule ${name}`, names, kind, name);
}

/**
 * @param field the field that names the attributes, in words: `copies of rule title-on-comments`
 * @param rule the rule's name; aging and predicates have none
 * @throws RuleError `rule.unknown-attribute` if the schema of the kind does not list one of the attributes
 */
export function requireListed(field: string, names: readonly string[], kind: AnyKind, rule?: string): void {
  const known = Object.keys(kind.attributes.shape);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new RuleError(
    'rule.unknown-attribute',
    `Expected ${field} to name attributes that the schema of ${kind.name} lists, got '${unknown}': ${didYouMean(unknown, known)}`,
    rule === undefined ? {} : { rule },
  );
}
