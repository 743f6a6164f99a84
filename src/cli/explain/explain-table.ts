import * as z from 'zod';
import { archiveFolderSeen } from '../../develop/dev/archive-folder/archive-folder.ts';
import { localEvidence } from '../../develop/dev/dev-functions.ts';
import { imagesTable } from '../../develop/dev/dry-run/images-table.ts';
import { readImages } from '../../develop/dev/dry-run/read-images.ts';
import { type Item, keyIn, keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { s3Archive } from '../../worker/adapters/s3/s3-archive.ts';
import type { ExpiryEvidence } from '../../worker/adapters/stream-record.ts';
import type { ArchivePort } from '../../worker/archive/ports.ts';
import { defaultSettings, type Settings, type TablePort } from '../../worker/ports.ts';
import { UsageError } from '../errors.ts';
import { readJson } from '../options/arguments.ts';
import { localRules, type RulesOptions, rulesInForce } from '../options/rules-in-force.ts';
import { openWhere, type WhereOptions } from '../options/where.ts';
import { type Subject, subjectsOf } from './explain-subjects.ts';

/** The data that an explanation is based on. */
export interface ExplainTable {
  readonly registry: Registry;
  readonly settings: Settings;
  readonly evidence: ExpiryEvidence;
  readonly table: TablePort;
  /** Undefined if the options name no archive. */
  readonly archive: Pick<ArchivePort, 'head'> | undefined;
  close(): void;
}

export interface ExplainTableOptions extends WhereOptions, RulesOptions {
  readonly images?: string | true;
  readonly archiveDir?: string;
  readonly bucket?: string;
  readonly pageLimit?: number;
}

/** The environment variables of a function that affect propagations, apart from the rules. */
const deployedSchema = z.object({
  PAGE_LIMIT: z.coerce.number().int().min(1).catch(defaultSettings.pageLimit),
  RECHECK_DELAY_SECONDS: z.coerce.number().int().min(0).catch(defaultSettings.recheckDelaySeconds),
});

/** Opens the table that the options name, with its enabled rules and its archive. */
export async function openTable(options: ExplainTableOptions): Promise<ExplainTable> {
  const where = await openWhere(options);
  try {
    const { registry, environment, evidence } = await rulesInForce(where, options);
    const bucket = options.bucket ?? where.bucket;
    const inBucket = bucket === undefined ? undefined : s3Archive({ client: where.connection.s3, bucket });
    const archive = options.archiveDir === undefined ? inBucket : archiveFolderSeen(options.archiveDir);
    return {
      ...{ registry, evidence, archive, table: where.table },
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
  const { images, archiveDir } = options;
  const where = (['table', 'stack', 'endpoint', 'bucket'] as const).find(
    (name) => options[name] !== undefined,
  );
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
  const subjects = event === undefined ? [] : subjectsOf(registry, localEvidence, event);
  return {
    registry,
    evidence: localEvidence,
    settings: asDeployed({}, options),
    table: imagesTable(table, leftBy(table, items, subjects)),
    archive: archiveDir === undefined ? undefined : archiveFolderSeen(archiveDir),
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
function leftBy(table: Registry['table'], items: readonly Item[], subjects: readonly Subject[]): Item[] {
  const changes = subjects
    .flatMap((subject) => (subject.is === 'record' ? [subject.change] : []))
    .sort((a, b) => (a.sequence < b.sequence ? -1 : 1));
  const last = new Map(changes.map(({ key, after }) => [keyText(key), after]));
  const others = items.filter((item) => !last.has(textOf(table, item)));
  return [...others, ...[...last.values()].filter((item) => item !== undefined)];
}

function textOf(table: Registry['table'], item: Item): string {
  return keyText(keyIn(table, item));
}
