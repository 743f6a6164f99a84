import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { freePort } from '../../src/develop/dev/table/free-port.ts';
import { until } from '../deployed/until.ts';
import { inBackground } from './shell.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** `denorm dev` in a project, with its table as an application sees it. */
export interface Dev {
  readonly endpoint: string;
  put(...items: readonly Attributes[]): Promise<void>;
  /** Waits until the item has these attributes. */
  holds(key: Attributes, attributes: Attributes): Promise<void>;
  /** Waits until there is no item with this key. */
  isGone(key: Attributes): Promise<void>;
  stdout(): string;
  /** Ends it, and gives its exit code. */
  stop(): Promise<number>;
}

/** Starts it on a free port. @param tableName the table that it must announce */
export async function startDev(project: string, tableName: string): Promise<Dev> {
  const port = await freePort();
  const dev = inBackground(`exec node_modules/.bin/denorm dev --port ${port}`, project);
  const ready = `ready http://127.0.0.1:${port} table ${tableName}\n`;
  let ended = false;
  dev.ended.then(() => {
    ended = true;
  });
  await until(`${ready}, got ${dev.stdout()}`, async () => ended || dev.stdout().includes(ready));
  if (ended) throw new Error(`Expected denorm dev to run, but it ended:\n${dev.stdout()}\n${dev.stderr()}`);
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1' },
      credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    }),
  );
  const get = async (Key: Attributes) =>
    (await client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true }))).Item;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async put(...items) {
      for (const Item of items) await client.send(new PutCommand({ TableName: tableName, Item }));
    },
    async holds(key, attributes) {
      const wanted = Object.entries(attributes);
      await until(`${JSON.stringify(key)} has ${JSON.stringify(attributes)}`, async () => {
        const item = await get(key);
        return item !== undefined && wanted.every(([name, value]) => item[name] === value);
      });
    },
    async isGone(key) {
      await until(`${JSON.stringify(key)} is gone`, async () => (await get(key)) === undefined);
    },
    stdout: dev.stdout,
    async stop() {
      client.destroy();
      return dev.stop();
    },
  };
}
