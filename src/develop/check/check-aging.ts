import type { ArchiveRule } from '../../model/archive-rule.ts';
import { RuleError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import type { TableNames } from '../../model/table-names.ts';
import { viewOf } from '../../model/view.ts';
import { whenHolds } from '../../worker/archive/decision.ts';
import { type AgingRule, ages, untilOf } from '../../worker/archive/sweep/aging.ts';
import { called, not, notLocationIn } from '../../worker/propagation/plan/rule-returns.ts';
import { misplacement } from './check-locations.ts';
import { exampleItem, exampleKey } from './example-items.ts';
import { faultsOf } from './faults-of.ts';
import type { Finding } from './finding.ts';

/** Tries the functions of archive rules on a generated item, each of them, whatever `when` says. */
export function checkAging({ table, archives }: Registry): readonly Finding[] {
  return archives.flatMap((rule) =>
    [...triedWhen(table, rule), ...(ages(rule) ? tried(table, rule) : [])].map(
      (says): Finding => ({ about: 'rules', subject: rule.name, says }),
    ),
  );
}

function triedWhen(table: TableNames, rule: ArchiveRule): string[] {
  return rule.when.flatMap((predicate) => {
    const { kind } = predicate;
    const key = exampleKey(kind, 'A');
    if (key === undefined) return [];
    const item = exampleItem(table, kind, key, 'A');
    return faultsOf(() => whenHolds(table, { ...rule, when: [predicate] }, kind, item)).faults;
  });
}

function tried(table: TableNames, rule: AgingRule): string[] {
  const { ages: aging } = rule;
  const key = exampleKey(aging.kind, 'A');
  if (key === undefined) return [];
  const item = exampleItem(table, aging.kind, key, 'A');
  const view = viewOf(table, aging.kind, item, { rule: rule.name, role: 'root', reads: aging.reads });
  const call = { rule, item: { key, concerns: 'root' } } as const;
  return [
    ...faultsOf(() => called({ ...call, does: 'when' }, () => aging.when(view), not('boolean'))).faults,
    ...faultsOf(() => called({ ...call, does: 'since' }, () => aging.since(view), not('number'))).faults,
    ...faultsOf(() => untilOf(rule, 0)).faults,
    ...aging.with.flatMap(({ kind, at }) => {
      const does = `with.at for ${kind.name}`;
      return faultsOf(() => {
        const misplaced = misplacement(
          kind,
          called({ ...call, does }, () => at(view), notLocationIn(table)),
        );
        if (misplaced !== undefined)
          throw new RuleError('rule.returned', `Expected ${does} of rule ${rule.name} ${misplaced}`);
      }).faults;
    }),
  ];
}
