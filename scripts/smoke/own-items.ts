import { setTimeout as delay } from 'node:timers/promises';
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { canonicalMap } from '../../src/model/attribute-value.ts';
import { DenormError } from '../../src/model/errors.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../src/model/item.ts';
import type { Connection } from '../../src/operate/adapters/connection.ts';
import { dynamoDbPut } from '../../src/operate/adapters/dynamodb/put-item.ts';
import { table } from '../../src/table.ts';
import { fromAws } from '../../src/worker/adapters/aws-errors.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { versionsPages } from '../../src/worker/adapters/s3/list-versions.ts';
import type { PutPort, TablePort } from '../../src/worker/ports.ts';

/** How long an object of an item that is gone may still come, in milliseconds: a put, with its retries. */
const inFlight = 5_000;

/** What a run has written and has to remove. */
export interface OwnItemsOptions {
  readonly connection: Connection;
  readonly tableName: string;
  readonly bucket: string;
  /** Part of the partition key of every item of this run, and of no other item. */
  readonly run: string;
}

/**
 * The items of a run, and their objects in the archive. Nothing else is ever written or removed: a key without the run's
 * id is refused, and a first put needs its key to be free.
 */
export class OwnItems {
  private readonly options: OwnItemsOptions;
  private readonly puts: PutPort;
  private readonly reads: Pick<TablePort, 'get'>;
  private readonly written = new Map<string, ItemKey>();
  private readonly objects = new Set<string>();
  private readonly unseen = new Set<string>();

  constructor(options: OwnItemsOptions) {
    this.options = options;
    const { connection, tableName } = options;
    const location = { client: connection.dynamoDb, tableName, table };
    this.puts = dynamoDbPut(location);
    this.reads = dynamoDbTable(location);
  }

  /** Puts an item for the first time. @throws DenormError `smoke.taken` if its key is taken */
  async put(item: Item): Promise<void> {
    const key = this.own(item);
    // Before the put: its answer may be lost on the way.
    this.written.set(keyText(key), key);
    const { outcome } = await this.puts.putIfAbsent(item);
    if (outcome === 'put' || (outcome === 'exists' && (await this.stands(key, item)))) return;
    // Another's, which must stay.
    this.written.delete(keyText(key));
    throw new DenormError(
      'smoke.taken',
      `Expected to put ${keyText(key)}, and the put was ${outcome === 'refused' ? 'refused' : 'met by another item'}: run it again`,
    );
  }

  /** Puts an item anew that this run has put. */
  async change(item: Item): Promise<void> {
    this.own(item);
    await this.puts.overwrite(item);
  }

  /** Says that the archive holds this object, or may soon. */
  expectObject(objectKey: string): void {
    if (!objectKey.includes(this.options.run))
      throw new Error(`Expected an object of this run, got ${objectKey}`);
    this.objects.add(objectKey);
    this.unseen.add(objectKey);
  }

  /** Says that the object is there, in its last state. */
  seeObject(objectKey: string): void {
    this.unseen.delete(objectKey);
  }

  async remove(key: ItemKey): Promise<void> {
    const { connection, tableName } = this.options;
    try {
      const Key = { [table.pk]: { S: key.pk }, [table.sk]: { S: key.sk } };
      await connection.dynamoDb.send(new DeleteItemCommand({ TableName: tableName, Key }));
    } catch (error) {
      throw fromAws(error, `DeleteItem (dynamodb:DeleteItem) on table ${tableName}`);
    }
    this.written.delete(keyText(key));
  }

  /** What is still there, as far as this run knows. */
  left(): string[] {
    const { tableName, bucket } = this.options;
    return [
      ...[...this.written.values()].map(
        ({ pk, sk }) => `item ${JSON.stringify({ [table.pk]: pk, [table.sk]: sk })} of table ${tableName}`,
      ),
      ...[...this.objects].map((key) => `all versions of s3://${bucket}/${key}`),
    ];
  }

  /** Removes everything, and tries each whatever becomes of the others. @returns why some could not be removed */
  async removeAll(): Promise<readonly DenormError[]> {
    const failures: DenormError[] = [];
    const attempt = async (removal: Promise<void>) =>
      removal.catch((error: unknown) => failures.push(fromAws(error, 'Cleaning up')));
    // Items before objects: an item that is gone is not archived again.
    await Promise.all([...this.written.values()].map((key) => attempt(this.remove(key))));
    // An invocation that has read an item just before may be putting it.
    if (this.unseen.size > 0) await delay(inFlight);
    await Promise.all([...this.objects].map((objectKey) => attempt(this.removeObject(objectKey))));
    return failures;
  }

  /** Removes every version of an object, and of last states beside it. */
  private async removeObject(objectKey: string): Promise<void> {
    const { connection, bucket } = this.options;
    for await (const { versions, deleteMarkers } of versionsPages(
      { client: connection.s3, bucket },
      objectKey,
    ))
      for (const { objectKey: key, versionId: version } of [...versions, ...deleteMarkers])
        try {
          await connection.s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key, VersionId: version }));
        } catch (error) {
          throw fromAws(error, `DeleteObject (s3:DeleteObjectVersion) of s3://${bucket}/${key}`);
        }
    this.objects.delete(objectKey);
  }

  /** Whether the item is there as this run has put it: a put whose answer was lost, and that the SDK sent again. */
  private async stands(key: ItemKey, item: Item): Promise<boolean> {
    const found = await this.reads.get(key);
    return found !== undefined && canonicalMap(found) === canonicalMap(item);
  }

  private own(item: Item): ItemKey {
    const key = keyIn(table, item);
    if (!key.pk.includes(this.options.run))
      throw new Error(`Expected an item of this run, got ${keyText(key)}`);
    return key;
  }
}
