import { createHash } from 'node:crypto';
import type { Aggregate } from './aggregate.ts';
import type { AnyKind } from './kind.ts';
import type { Registry } from './registry.ts';
import type { Rule } from './rule.ts';

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
