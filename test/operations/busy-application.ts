import { setTimeout as delay } from 'node:timers/promises';
import { type DynamoDBClient, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { toSdk } from '../../src/worker/adapters/dynamodb/sdk-values.ts';
import { item, type Plain } from '../fixtures/model/items.ts';

/** An application that keeps writing until it is stopped. */
export interface BusyApplication {
  /** Writes so far. */
  writes(): number;
  stop(): Promise<void>;
}

/**
 * Applications as they write to a table of {@link driftedItems}: roots change, copies are overwritten with what was read of
 * their root a moment ago, new roots come with their copies. Roots of which the seed made something wrong are left alone.
 */
export function busyApplication(
  client: DynamoDBClient,
  tableName: string,
  families: number,
): BusyApplication {
  let writes = 0;
  let stopped = false;
  let random = 17;
  function any(below: number): number {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  }
  async function set(PK: string, SK: string, name: string, to: string): Promise<void> {
    await client.send(
      new UpdateItemCommand({
        ...{ TableName: tableName, Key: { PK: { S: PK }, SK: { S: SK } } },
        ConditionExpression: 'attribute_exists(PK)',
        UpdateExpression: 'SET #name = :to',
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':to': { S: to } },
      }),
    );
    writes += 1;
  }
  async function put(plain: Readonly<Record<string, Plain>>): Promise<void> {
    const Item = Object.fromEntries(Object.entries(item(plain)).map(([name, value]) => [name, toSdk(value)]));
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    writes += 1;
  }
  async function write(): Promise<void> {
    const family = any(families);
    // The first root of each kind is the one with which something may be wrong.
    const root = 1 + any(5);
    const account = `acct_${family % 50}`;
    switch (any(5)) {
      case 0:
        return set(`${account}#inc`, `inc_${family}x${root}`, 'Title', `title ${writes}`);
      case 1:
        return set(`USER#u${family}x${root}`, '#METADATA', 'username', `name ${writes}`);
      case 2:
        return set(
          `ORDER#o${family}x${root}`,
          'METADATA',
          'Status',
          ['PAID', 'SHIPPED', 'DELIVERED'][any(3)] ?? '',
        );
      case 3:
        return set(
          `SERVER#s${family}x${any(5)}`,
          `USER#u${family}x${root}`,
          'username',
          'as somebody remembers it',
        );
      default: {
        const id = `inc_new${writes}`;
        const said = {
          ID: id,
          Title: 'new',
          Status: 's',
          State: 'OPEN',
          Number: 1,
          CreatedAt: 1_614_194_921,
        };
        await put({ PK: `${account}#inc`, SK: id, ...said });
        return put({
          ...{
            PK: `${account}#${id}#incpart`,
            SK: 'user_1',
            ParticipantID: 'user_1',
            ...said,
            Title: 'a draft',
          },
          ...{ GSI1PK: `${account}#user_1#incpart`, GSI1SK: 'OPEN#2021-02-24T19:28:41Z' },
        });
      }
    }
  }
  const ended = (async () => {
    while (!stopped) {
      await write();
      await delay(40);
    }
  })();
  return {
    writes: () => writes,
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
