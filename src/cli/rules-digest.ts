import { createHash } from 'node:crypto';
import { type AnyKind, isKind } from '../model/kinds/kind.ts';
import type { Aggregate } from '../model/rules/aggregate.ts';
import type { BoundAggregate, BoundRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { Rule } from '../model/rules/rule.ts';

/**
 * A text that differs if the rules differ. It covers everything in a rule's definition, including the source text of its
 * functions, but not the variables that a function closes over. Those come from the settings, which are therefore part of the
 * digest. What the registry computes from a definition is left out, so that another version of it has the same digest.
 * @param settings the settings that the rules were loaded with
 */
export function rulesDigest({ table, kinds, rules, aggregates }: Registry, settings: string): string {
  const definitions = [rules.map(definitionOf), aggregates.map(definitionOfAggregate)];
  const text = JSON.stringify([table, settings, kinds, ...definitions], (_, value: unknown) =>
    typeof value === 'function' ? String(value) : isKind(value) ? kindOf(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** `undefined` is left out of JSON. */
const computed: Readonly<Record<Exclude<keyof BoundRule, keyof Rule>, undefined>> = {
  table: undefined,
  outputs: undefined,
  neverCopied: undefined,
  locating: undefined,
  compared: undefined,
};

function definitionOf(rule: BoundRule): Rule {
  return { ...rule, ...computed };
}

const computedOfAggregate: Readonly<Record<Exclude<keyof BoundAggregate, keyof Aggregate>, undefined>> = {
  table: undefined,
  compared: undefined,
  isWritten: undefined,
};

function definitionOfAggregate(aggregate: BoundAggregate): Aggregate {
  const { ledger } = aggregate;
  return { ...aggregate, ...computedOfAggregate, ledger: ledger && { shards: ledger.shards } };
}

function kindOf({ name, type, pkPattern, skPattern, attributes }: AnyKind): unknown {
  return [name, type, pkPattern.pattern, skPattern.pattern, Object.keys(attributes.shape)];
}
