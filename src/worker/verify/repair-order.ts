import type { AnyKind } from '../../model/kinds/kind.ts';
import { watchesMember } from '../../model/rules/aggregate.ts';
import type { BoundWriter } from '../../model/rules/bound-rule.ts';
import {
  copiesAll,
  isCopiable,
  isCopied,
  namedOutputs,
  writtenKind,
} from '../../model/rules/rule-attributes.ts';
import type { Selection } from './candidates.ts';

/**
 * The order of a repair: what writes comes in an earlier pass than what reads it, so that no wrong value is copied on.
 * Rules that feed each other different attributes share a pass with what depends on them: another repair completes theirs.
 */
export function repairPasses({ rules, aggregates }: Selection): readonly Selection[] {
  const passes: Selection[] = [];
  let waiting: readonly BoundWriter[] = [...rules, ...aggregates];
  while (waiting.length > 0) {
    const ready = waiting.filter((one) => !waiting.some((other) => other !== one && feeds(other, one)));
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
function feeds(writer: BoundWriter, reader: BoundWriter): boolean {
  const kind = writtenKind(writer);
  if (writer.creates && sourceOf(reader).name === kind.name) return true;
  return writtenBy(writer).some((name) => isRead(reader, kind, name));
}

function sourceOf(one: BoundWriter): AnyKind {
  return one.is === 'aggregate' ? one.of : one.root;
}

/** The names of attributes that it writes; `*` is any that no schema lists. */
function writtenBy(one: BoundWriter): readonly string[] {
  if (!copiesAll(one)) return namedOutputs(one);
  const copied = ['*', ...Object.keys(one.root.attributes.shape)];
  return [...namedOutputs(one), ...copied.filter((name) => isCopiable(one, name))];
}

function isRead(one: BoundWriter, { name: kind }: AnyKind, name: string): boolean {
  if (one.is === 'aggregate')
    return (
      (one.of.name === kind && watchesMember(one, name)) ||
      (one.on.name === kind && one.reads.target.includes(name))
    );
  const { root, copy, reads } = one;
  return (
    (root.name === kind && (isCopied(one, name) || reads.root.includes(name))) ||
    (copy.name === kind && (reads.copy.includes(name) || one.locating.includes(name)))
  );
}
