import { exampleItems } from '../examples/kind-values.ts';
import { RuleError } from '../model/basics/errors.ts';
import { aBoolean, aNumber } from '../model/basics/requirement.ts';
import { locationGiven } from '../model/items/given-keys.ts';
import { type Item, keyIn } from '../model/items/item.ts';
import { viewOf } from '../model/kinds/view.ts';
import type { BoundArchiveRule } from '../model/rules/bound-rule.ts';
import type { Registry } from '../model/rules/registry.ts';
import { called } from '../plan/call.ts';
import { locationIn } from '../plan/returns.ts';
import { whenHolds } from '../worker/archive/decision.ts';
import { type AgingRule, ages, untilOf } from '../worker/archive/sweep/aging.ts';
import { misplacement } from './check-rules.ts';
import { type Finding, findings } from './finding.ts';
import { tryFunction } from './try-function.ts';

/** Tries the functions of archive rules on generated items, each of them, whatever `when` says. */
export function checkArchives({ archives }: Registry): readonly Finding[] {
  return archives.flatMap((rule) => {
    const faults = [...predicateFaults(rule), ...(ages(rule) ? agingFaults(rule) : [])];
    return findings('rules', rule.name, faults);
  });
}

function predicateFaults(rule: BoundArchiveRule): readonly string[] {
  return rule.when.flatMap((predicate) => {
    const { kind } = predicate;
    const only = { ...rule, when: [predicate] };
    const tried = { what: `when of rule ${rule.name}`, kind };
    return tryFunction(tried, exampleItems(kind), (item) => whenHolds(only, kind, item)).faults;
  });
}

function agingFaults(rule: AgingRule): readonly string[] {
  const { table } = rule;
  const { kind, reads, when, since, with: companions } = rule.ages;
  const examples = exampleItems(kind);
  const viewed = (item: Item) => viewOf(kind, item, { rule: rule.name, role: 'root', reads });
  const callOf = (item: Item, does: string) =>
    ({ rule, does, item: { key: keyIn(table, item), concerns: 'root' } }) as const;
  const placed = (companion: (typeof companions)[number], does: string) => (item: Item) => {
    const given = called(callOf(item, does), () => companion.at(viewed(item)), locationIn(table));
    const location = locationGiven(table, given);
    const misplaced = misplacement(companion.kind, location);
    if (misplaced !== undefined)
      throw new RuleError('rule.returned', `Expected ${does} of rule ${rule.name} ${misplaced}`);
    return location;
  };
  const tries: readonly (readonly [string, (item: Item) => unknown])[] = [
    ['when', (item) => called(callOf(item, 'when'), () => when(viewed(item)), aBoolean)],
    ['since', (item) => called(callOf(item, 'since'), () => since(viewed(item)), aNumber)],
    ['found.until', () => untilOf(rule, 0)],
    ...companions.map((companion) => {
      const does = `with.at for ${companion.kind.name}`;
      return [does, placed(companion, does)] as const;
    }),
  ];
  return tries.flatMap(
    ([name, run]) => tryFunction({ what: `${name} of rule ${rule.name}`, kind }, examples, run).faults,
  );
}
