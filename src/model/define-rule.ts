import { RuleError } from './errors.ts';
import type { Rule, RuleSpec } from './rule.ts';
import { writesNothing } from './rule-attributes.ts';
import { checkRuleSpec } from './rule-fields.ts';

/**
 * Makes a rule from its author's spec. The registry checks it against other rules.
 * @throws RuleError if the name is invalid, `rootOf` is missing, the rule writes nothing, or the spec is not what its type says
 */
export function defineRule<
  Root,
  RootId extends string,
  RootPkId extends string,
  Copy,
  CopyId extends string,
  CopyPkId extends string,
  const RootRead extends keyof Root & string = never,
  const CopyRead extends keyof Copy & string = never,
>(spec: RuleSpec<Root, RootId, RootPkId, Copy, CopyId, CopyPkId, RootRead, CopyRead>): Rule {
  checkRuleSpec(spec as unknown as Parameters<typeof checkRuleSpec>[0]);
  const { name, located, rootOf } = spec;
  if (located.in !== 'itself' && rootOf === undefined)
    throw new RuleError('rule.rootless', `Rule ${name} has no way from a copy to its root: add rootOf`, {
      rule: name,
    });
  const copies = spec.copies ?? [];
  const derive = spec.derive ?? {};
  const deletes = located.in !== 'itself' && [spec.onDelete, spec.onExpire].includes('delete');
  if (writesNothing({ copies, derive: derive as Rule['derive'] }) && (spec.creates || !deletes))
    throw new RuleError(
      'rule.idle',
      `Rule ${name} writes nothing: add copies or derive, or set onDelete to 'delete' if it only removes copies`,
      { rule: name },
    );
  // An item that is its own copy is read once, so root and copy have the same attributes to read.
  const reads = [...(spec.reads?.root ?? []), ...(spec.reads?.copy ?? [])];
  // The cast is safe: these functions are only called with views that viewOf makes from the schemas of the same kinds.
  return {
    ...(spec as unknown as Pick<Rule, 'root' | 'copy' | 'located'>),
    name,
    reads:
      located.in === 'itself'
        ? { root: reads, copy: reads }
        : { root: spec.reads?.root ?? [], copy: spec.reads?.copy ?? [] },
    when: spec.when as unknown as Rule['when'],
    rootOf: (rootOf ?? (() => undefined)) as unknown as Rule['rootOf'],
    creates: spec.creates ?? false,
    copies,
    derive: derive as unknown as Rule['derive'],
    own: spec.own ?? [],
    unknown: spec.unknown ?? 'keep',
    tenant: spec.tenant,
    onDelete: spec.onDelete,
    onExpire: spec.onExpire,
  };
}
