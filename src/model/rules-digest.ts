import { createHash } from 'node:crypto';
import type { AnyKind } from './kind.ts';
import type { Registry } from './registry.ts';
import type { Rule } from './rule.ts';

/**
 * A text that two loads of the same rules share, and two versions of them do not: everything that a rule says, the source
 * text of its functions included. What a function closes over is not seen, which is why settings are given beside.
 * @param settings what the rules were loaded with
 */
export function rulesDigest({ table, rules }: Registry, settings: string): string {
  const said = JSON.stringify([table, settings, rules.map(saidBy)], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : value,
  );
  return createHash('sha256').update(said).digest('hex').slice(0, 16);
}

function saidBy({ root, copy, ...rule }: Rule): unknown {
  return { ...rule, root: kindOf(root), copy: kindOf(copy) };
}

function kindOf({ name, type, pkPattern, skPattern, attributes }: AnyKind): unknown {
  return [name, type, pkPattern.pattern, skPattern.pattern, Object.keys(attributes.shape)];
}
