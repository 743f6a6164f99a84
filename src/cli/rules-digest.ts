import { createHash } from 'node:crypto';
import { type AnyKind, isKind } from '../model/kinds/kind.ts';
import type { Registry } from '../model/rules/registry.ts';

/**
 * A text that differs if the rules differ. It covers everything in a rule, including the source text of its functions, but
 * not the variables that a function closes over. Those come from the settings, which are therefore part of the digest.
 * @param settings the settings that the rules were loaded with
 */
export function rulesDigest({ table, kinds, rules, aggregates }: Registry, settings: string): string {
  const said = JSON.stringify([table, settings, kinds, rules, aggregates], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : isKind(value) ? kindOf(value) : value,
  );
  return createHash('sha256').update(said).digest('hex').slice(0, 16);
}

function kindOf({ name, type, pkPattern, skPattern, attributes }: AnyKind): unknown {
  return [name, type, pkPattern.pattern, skPattern.pattern, Object.keys(attributes.shape)];
}
