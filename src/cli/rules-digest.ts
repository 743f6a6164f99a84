import { createHash } from 'node:crypto';
import type { Aggregate } from '../model/aggregate.ts';
import type { AnyKind } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import type { Rule } from '../model/rule.ts';

/**
 * A text that differs if the rules differ. It covers everything in a rule, including the source text of its functions, but
 * not the variables that a function closes over. Those come from the settings, which are therefore part of the digest.
 * @param settings the settings that the rules were loaded with
 */
export function rulesDigest({ table, rules, aggregates }: Registry, settings: string): string {
  const computed = aggregates.length === 0 ? [] : [aggregates.map(saidByAggregate)];
  const said = JSON.stringify([table, settings, rules.map(saidBy), ...computed], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(said).digest('hex').slice(0, 16);
}

function saidBy({ root, copy, ...rule }: Rule): unknown {
  return { ...rule, root: kindOf(root), copy: kindOf(copy) };
}

function saidByAggregate({ of, on, ...aggregate }: Aggregate): unknown {
  return { ...aggregate, of: kindOf(of), on: kindOf(on) };
}

function kindOf({ name, type, pkPattern, skPattern, attributes }: AnyKind): unknown {
  return [name, type, pkPattern.pattern, skPattern.pattern, Object.keys(attributes.shape)];
}
