import type { ArchiveRule } from '../../src/model/archive-rule.ts';
import { keyIn } from '../../src/model/item.ts';
import { GSI2, table } from '../../src/table.ts';
import { digestOf, objectKeyOf } from '../../src/worker/archive/object.ts';
import type { ArchiveReader } from '../../src/worker/archive/ports.ts';
import type { TablePort } from '../../src/worker/ports.ts';
import { type Line, lineOf } from './lines.ts';
import type { OwnItems } from './own-items.ts';
import { order, orderKeys } from './propagations.ts';
import type { Wait } from './wait.ts';

export interface ArchiveRun {
  readonly run: string;
  readonly table: Pick<TablePort, 'get'>;
  readonly archive: Pick<ArchiveReader, 'details'>;
  readonly items: Pick<OwnItems, 'put' | 'expectObject' | 'seeObject'>;
  readonly wait: Pick<Wait, 'until'>;
  /** The rule that archives orders; undefined if none does. */
  readonly rule: ArchiveRule | undefined;
  /** As the functions are told. */
  readonly statusShards: number;
  /** Of objects whose rule names none: as the function that archives is told. */
  readonly storageClass: string;
}

const weekInSeconds = 604_800;

/** An order that gets an expiry is in the archive, as it is in the table, in the storage class of the deployment. */
export async function archiveLine(options: ArchiveRun): Promise<Line> {
  const { run, items, archive, wait, rule } = options;
  const check = 'archive: an order that will expire';
  if (rule === undefined) return { check, status: 'off', detail: 'ArchiveEnabled=false, or DisabledRules' };
  if (rule.layout === 'batch') return { check, status: 'unknown', detail: 'orders are archived in batches' };
  const storageClass = rule.storageClass ?? options.storageClass;
  return lineOf(check, async () => {
    const { pk, sk } = orderKeys(`${run}-archive`, options.statusShards);
    const root = {
      ...order(`${run}-archive`),
      ...{ [GSI2.pk]: pk, [GSI2.sk]: sk },
      [table.ttl]: { N: String(Math.floor(Date.now() / 1000) + weekInSeconds) },
    };
    const key = keyIn(table, root);
    const objectKey = objectKeyOf('Order', key);
    // With the keys that the worker derives it is stored once. DynamoDB would report their update, and it would be archived
    // again; MiniStack reports no update by a statement.
    items.expectObject(objectKey);
    await items.put(root);
    const details = await wait.until('the archive', async () => {
      const [found, item] = await Promise.all([archive.details(objectKey), options.table.get(key)]);
      return item !== undefined && found?.digest === digestOf(item) ? found : undefined;
    });
    if (details !== undefined) items.seeObject(objectKey);
    if (details === undefined)
      return {
        status: 'failed',
        detail: 'no object with the state of the item when the time was up',
        action: 'see the event source of Archive in this table, and its log',
      };
    if (details.storageClass !== storageClass)
      return {
        status: 'failed',
        detail: `in ${details.storageClass}, expected ${storageClass}`,
        action: 'set the parameter ArchiveStorageClass, and look for lifecycle rules of the bucket',
      };
    return { status: 'passed', detail: `in ${storageClass}` };
  });
}
