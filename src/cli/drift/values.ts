import { explainItem } from '../../explain/explain.ts';
import { sameKey } from '../../model/items/item.ts';
import type { Drift } from '../../worker/verify/drift.ts';
import { UsageError } from '../errors.ts';
import { asDeployed } from '../explain/command.ts';
import { valueTexts } from '../output/lines.ts';
import type { DriftWork } from './work.ts';

/**
 * Item content belongs on a screen, and not into the log of a job.
 * @throws UsageError `usage.values`
 */
export function refuseValuesElsewhere({ showValues }: { readonly showValues?: true }): void {
  if (showValues && !process.stdout.isTTY)
    throw new UsageError(
      'usage.values',
      'Expected standard output to be a terminal, because --show-values prints item content, got a file or a pipe: leave the option out, or run the command on a terminal',
    );
}

/** What a repair would change on an item now, an attribute a line: item content. */
export async function valuesOf(
  { registry, table }: DriftWork,
  { rule, copy }: Drift,
): Promise<readonly string[]> {
  const isMeant = ({ name }: { readonly name: string }) => name === rule;
  const alone = {
    ...registry,
    rules: registry.rules.filter(isMeant),
    aggregates: registry.aggregates.filter(isMeant),
  };
  const { rounds } = await explainItem(
    { registry: alone, table, settings: asDeployed({}), values: true },
    copy,
  );
  const writes = rounds.flatMap(({ work }) => work.flatMap((one) => one.writes));
  return valueTexts(writes.find(({ key }) => sameKey(key, copy))?.values);
}
