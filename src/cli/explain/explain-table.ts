import * as z from 'zod';
import { localEvidence } from '../../develop/dev/dev-functions.ts';
import { imagesTable } from '../../develop/dev/dry-run/images-table.ts';
import { readImages } from '../../develop/dev/dry-run/read-images.ts';
import { inSequence } from '../../model/change.ts';
import { type Item, keyIn, keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ExpiryEvidence } from '../../worker/adapters/stream-record.ts';
import { defaultSettings, type Settings, type TablePort } from '../../worker/ports.ts';
import { UsageError } from '../errors.ts';
import { readJson } from '../options/arguments.ts';
import { localRules, type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { openWhere, type WhereOptions } from '../options/where.ts';
import { type EventRecord, readEvent } from './explain.ts';

/** The data that an explanation is based on. */
export interface ExplainTable {
  readonly registry: Registry;
  readonly settings: Settings;
  readonly evidence: ExpiryEvidence;
  readonly table: TablePort;
  close(): void;
}

export interface ExplainTableOptions extends WhereOptions, RulesOptions {
  readonly images?: string | true;
  readonly pageLimit?: number;
}

/** The environment variables of a function that affect propagations, apart from the rules. */
const deployedSchema = z.object({
  PAGE_LIMIT: z.coerce.number().int().min(1).catch(defaultSettings.pageLimit),
  RECHECK_DELAY_SECONDS: z.coerce.number().int().min(0).catch(defaultSettings.recheckDelaySeconds),
});

/** Opens the table that the options name, with its enabled rules. */
export async function openTable(options: ExplainTableOptions): Promise<ExplainTable> {
  const where = await openWhere(options);
  try {
    const { registry, environment, evidence } = await rulesInForce(where, options);
    return {
      ...{ registry, evidence, table: where.table },
      settings: asDeployed(environment, options),
      close: () => where.close(),
    };
  } catch (error) {
    where.close();
    throw error;
  }
}

/**
 * Builds a table in memory from the event's images and the items of a file.
 * @param event undefined to explain an item
 * @throws UsageError without a file of items and without an event
 */
export async function openImages(options: ExplainTableOptions, event: unknown): Promise<ExplainTable> {
  const { images } = options;
  const where = (['table', 'stack', 'endpoint'] as const).find((name) => options[name] !== undefined);
  if (where !== undefined)
    throw new UsageError(
      'usage.images',
      `Expected --images or a table, got --images with --${where}: leave one of them out`,
    );
  if (typeof images !== 'string' && event === undefined)
    throw new UsageError(
      'usage.images',
      'Expected --images with a file of items to explain one of them, got it without: name a file, or a table instead',
    );
  const registry = await localRules(options);
  const { table } = registry;
  const items =
    typeof images === 'string' ? readImages(table, await readJson(images, 'a list of items')) : [];
  const records = event === undefined ? [] : readEvent(registry, localEvidence, event);
  return {
    registry,
    evidence: localEvidence,
    settings: asDeployed({}, options),
    table: imagesTable(table, leftBy(table, items, records)),
    close() {},
  };
}

/** The settings of the function with this environment; those of its defaults without one. */
export function asDeployed(
  environment: unknown,
  { pageLimit }: Pick<ExplainTableOptions, 'pageLimit'> = {},
): Settings {
  const deployed = deployedSchema.parse(environment);
  return {
    ...defaultSettings,
    pageLimit: pageLimit ?? deployed.PAGE_LIMIT,
    recheckDelaySeconds: deployed.RECHECK_DELAY_SECONDS,
    // A plan makes no writes that could be too fast.
    fanOutWriteUnits: Number.POSITIVE_INFINITY,
  };
}

/** These items after the changes in the event. */
function leftBy(table: Registry['table'], items: readonly Item[], records: readonly EventRecord[]): Item[] {
  const changes = inSequence(records.flatMap((record) => ('change' in record ? [record.change] : [])));
  const last = new Map(changes.map(({ key, after }) => [keyText(key), after]));
  const others = items.filter((item) => !last.has(keyText(keyIn(table, item))));
  return [...others, ...[...last.values()].filter((item) => item !== undefined)];
}
