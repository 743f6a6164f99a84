import { type AgingRule, ages, untilOf } from '../archive/sweep/aging.ts';
import { InvalidItemError, RuleError } from '../model/errors.ts';
import { keyWith } from '../model/kind.ts';
import type { Registry } from '../model/registry.ts';
import type { TableNames } from '../model/table-names.ts';
import { viewOf } from '../model/view.ts';
import { called, not, notLocationIn } from '../propagation/plan/rule-returns.ts';
import { misplacement } from './check-locations.ts';
import { exampleIds, exampleItem } from './example-items.ts';
import type { Finding } from './finding.ts';

/** Tries the functions of aging on a generated item, each of them, whatever `when` says. */
export function checkAging({ table, archives }: Registry): readonly Finding[] {
  return archives
    .filter(ages)
    .flatMap((rule) =>
      tried(table, rule).map((says): Finding => ({ about: 'rules', subject: rule.name, says })),
    );
}

function tried(table: TableNames, rule: AgingRule): string[] {
  const { ages: aging } = rule;
  const ids = exampleIds(aging.kind, 'A');
  const key = ids && keyWith(aging.kind, ids);
  if (key === undefined) return [];
  const item = exampleItem(table, aging.kind, key, 'A');
  const view = viewOf(table, aging.kind, item, { rule: rule.name, role: 'root', reads: aging.reads });
  const call = { rule, item: { key, concerns: 'root' } } as const;
  return [
    ...faultsOf(() => called({ ...call, does: 'when' }, () => aging.when(view), not('boolean'))),
    ...faultsOf(() => called({ ...call, does: 'since' }, () => aging.since(view), not('number'))),
    ...faultsOf(() => untilOf(rule, 0)),
    ...aging.with.flatMap(({ kind, at }) => {
      const does = `with.at for ${kind.name}`;
      return faultsOf(() => {
        const misplaced = misplacement(
          kind,
          called({ ...call, does }, () => at(view), notLocationIn(table)),
        );
        if (misplaced !== undefined)
          throw new RuleError('rule.returned', `Expected ${does} of rule ${rule.name} ${misplaced}`);
      });
    }),
  ];
}

function faultsOf(run: () => unknown): string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidItemError) && !(error instanceof RuleError)) throw error;
    return ['rule.returned', 'rule.undeclared-read'].includes(error.code) ? [error.message] : [];
  }
}
