import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  paginateScan,
} from '@aws-sdk/lib-dynamodb';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { nameOf, ownOf, type PlainItem, type PlainKey, textOf } from './plain-item.ts';

/** What an application knows of one item that it wrote. */
export interface Entry {
  readonly key: PlainKey;
  /** As it last wrote it; a deleted or expired one too. */
  readonly item: PlainItem | undefined;
  /** `perhaps`: a copy whose root was removed or moved for a while. */
  readonly presence: 'there' | 'gone' | 'perhaps';
  /** Whether it was left to expire. */
  readonly expires?: true;
}

/** The error of a request that found nobody, or a table not made yet: it was not done. */
const notDone = ['ECONNREFUSED', 'ResourceNotFoundException'];

/**
 * The table as its applications write it, and what they may rely on. A write that is acknowledged is on record. Of one
 * whose answer is lost, the next read of the item tells whether it was done; that it says neither what the item was
 * nor what it was to be is a lost write.
 */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  readonly lost: string[] = [];
  acknowledged = 0;
  unanswered = 0;
  private client: DynamoDBDocumentClient | undefined;
  private closed = false;
  private readonly tableName = 'app';

  connect(endpoint: string): void {
    this.client?.destroy();
    const settings = { ...loopbackClientSettings(endpoint), maxAttempts: 1 };
    this.client = DynamoDBDocumentClient.from(
      new DynamoDBClient({ ...settings, requestHandler: { requestTimeout: 30_000 } }),
    );
  }

  /** Whoever still waits for an answer is told that there is none: a table that has ended for good gives none. */
  close(): void {
    this.closed = true;
    this.client?.destroy();
  }

  known(key: PlainKey): Entry {
    return this.entries.get(nameOf(key)) ?? { key, item: undefined, presence: 'gone' };
  }

  /** Puts a whole item. */
  async put(item: PlainItem): Promise<void> {
    const before = this.known(item);
    const after: Entry = { key: { PK: item.PK, SK: item.SK }, item, presence: 'there' };
    await this.write(before, after, new PutCommand({ TableName: this.tableName, Item: item }));
  }

  /** Deletes an item. */
  async delete(key: PlainKey): Promise<void> {
    const before = this.known(key);
    const { PK, SK } = key;
    const after: Entry = { key, item: before.item, presence: 'gone' };
    await this.write(before, after, new DeleteCommand({ TableName: this.tableName, Key: { PK, SK } }));
  }

  /** Notes that nothing is certain any more of whether this copy is there. */
  doubt(key: PlainKey): void {
    const entry = this.known(key);
    if (entry.presence === 'there') this.entries.set(nameOf(key), { ...entry, presence: 'perhaps' });
  }

  /** Puts an item whose time has passed: from then on it is gone, sooner or later. */
  async letExpire(item: PlainItem): Promise<void> {
    const before = this.known(item);
    const after: Entry = { key: before.key, item, presence: 'gone', expires: true };
    await this.write(before, after, new PutCommand({ TableName: this.tableName, Item: item }));
  }

  /** Every item of the table. */
  async scan(): Promise<PlainItem[]> {
    const { client } = this;
    if (client === undefined) return [];
    const found: PlainItem[] = [];
    const pages = paginateScan({ client }, { TableName: this.tableName, ConsistentRead: true });
    for await (const { Items = [] } of pages)
      for (const item of Items) found.push({ ...item, PK: String(item['PK']), SK: String(item['SK']) });
    return found;
  }

  private async write(before: Entry, after: Entry, command: PutCommand | DeleteCommand): Promise<void> {
    for (;;) {
      try {
        await (command instanceof PutCommand ? this.client?.send(command) : this.client?.send(command));
        this.acknowledged += 1;
        this.entries.set(nameOf(after.key), after);
        return;
      } catch (error) {
        if (!isNotDone(error)) {
          this.unanswered += 1;
          this.entries.set(nameOf(after.key), await this.whichOf(before, after));
          return;
        }
      }
      await this.pause();
    }
  }

  /** Which of these the item is, by a read; the later, where it could be either. */
  private async whichOf(before: Entry, after: Entry): Promise<Entry> {
    const found = await this.read(after.key);
    const choice = [after, before].find(({ item, presence, expires }) => {
      if (found === undefined) return presence !== 'there';
      const mayStand = presence !== 'gone' || expires === true;
      return mayStand && item !== undefined && textOf(ownOf(found)) === textOf(ownOf(item));
    });
    if (choice !== undefined) return choice;
    this.lost.push(`${nameOf(after.key)} is neither what it was nor what it was to be`);
    return { ...after, item: found, presence: found === undefined ? 'gone' : 'there' };
  }

  private async read({ PK, SK }: PlainKey): Promise<PlainItem | undefined> {
    for (;;) {
      try {
        const request = { TableName: this.tableName, Key: { PK, SK }, ConsistentRead: true };
        const answer = await this.client?.send(new GetCommand(request));
        return answer?.Item && { ...answer.Item, PK, SK };
      } catch {
        await this.pause();
      }
    }
  }

  private async pause(): Promise<void> {
    if (this.closed) throw new Error('The ledger is closed');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function isNotDone(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return notDone.includes(error.name) || ('code' in error && notDone.includes(String(error.code)));
}
