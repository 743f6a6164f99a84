import { type Aggregate, watchesMember } from '../../model/aggregate.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import {
  copiesAll,
  isCopiable,
  isCopied,
  locatingAttributes,
  namedOutputs,
} from '../../model/rule-attributes.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { Selection } from './inspect.ts';

/**
 * The order of a repair: what writes comes in an earlier pass than what reads it, so that no wrong value is copied on.
 * Rules that feed each other different attributes share a pass with what depends on them: another repair completes theirs.
 */
export function repairPasses({
  table,
  rules,
  aggregates,
}: Selection & Pick<Registry, 'table'>): readonly Selection[] {
  const passes: Selection[] = [];
  let waiting: readonly (Rule | Aggregate)[] = [...rules, ...aggregates];
  while (waiting.length > 0) {
    const ready = waiting.filter(
      (one) => !waiting.some((other) => other !== one && feeds(table, other, one)),
    );
    const pass = new Set(ready.length > 0 ? ready : waiting);
    passes.push({
      rules: rules.filter((one) => pass.has(one)),
      aggregates: aggregates.filter((one) => pass.has(one)),
    });
    waiting = waiting.filter((one) => !pass.has(one));
  }
  return passes;
}

/** Whether one rule or aggregate writes what another reads, or creates the items that it reads. */
function feeds(table: TableNames, writer: Rule | Aggregate, reader: Rule | Aggregate): boolean {
  const kind = 'computes' in writer ? writer.on : writer.copy;
  if ('creates' in writer && writer.creates && sourceOf(reader).name === kind.name) return true;
  return writtenBy(table, writer).some((name) => isRead(table, reader, kind, name));
}

function sourceOf(one: Rule | Aggregate): AnyKind {
  return 'computes' in one ? one.of : one.root;
}

/** The names of attributes that it writes; `*` is any that no schema lists. */
function writtenBy(table: TableNames, one: Rule | Aggregate): readonly string[] {
  if (!copiesAll(one)) return namedOutputs(one);
  const copied = ['*', ...Object.keys(one.root.attributes.shape)];
  return [...namedOutputs(one), ...copied.filter((name) => isCopiable(table, one, name))];
}

function isRead(table: TableNames, one: Rule | Aggregate, { name: kind }: AnyKind, name: string): boolean {
  if ('computes' in one)
    return (
      (one.of.name === kind && watchesMember(one, name)) ||
      (one.on.name === kind && one.reads.target.includes(name))
    );
  const { root, copy, reads } = one;
  return (
    (root.name === kind && (isCopied(table, one, name) || reads.root.includes(name))) ||
    (copy.name === kind && (reads.copy.includes(name) || locatingAttributes(one).includes(name)))
  );
}
