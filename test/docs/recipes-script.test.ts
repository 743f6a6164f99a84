import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
} from '@aws-sdk/client-dynamodb';
import { defineConfig } from 'stream-denormalizer';
import { startTable, type TestTable } from 'stream-denormalizer/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { table as names } from '../../src/table.ts';
import { forwardingProxy } from '../suites/forwarding-proxy.ts';
import { recipesIn } from './fixtures/recipes-page.ts';
import { folderToCompile } from './fixtures/type-check.ts';

const run = promisify(execFile);

let folder: string;
let script: string;
let table: TestTable;
let client: DynamoDBClient;

const author = { PK: 'AUTHOR#a', SK: 'PROFILE', Type: 'Author', AuthorName: 'Ada' };
const old = (id: number) => ({ PK: 'POST#1', SK: `COMMENT#${id}`, Type: 'Comment', CreatedBy: 'a' });
const written = { AuthorId: 'a', GSI1PK: 'AUTHOR#a' };
const others = [
  { PK: 'POST#1', SK: 'POST', Type: 'Post', CreatedBy: 'a' },
  { ...old(8), AuthorId: 'b', GSI1PK: 'AUTHOR#b', GSI1SK: 'COMMENT#8' },
  { PK: 'POST#1', SK: 'COMMENT#9', Type: 'Comment' },
];

beforeAll(async () => {
  folder = folderToCompile('recipes-script-');
  const { rules, ...recipes } = await recipesIn(folder);
  script = recipes.script;
  // So that a few items are several pages.
  const text = readFileSync(script, 'utf8').replace('Limit: 1000', 'Limit: 3');
  expect(text).toContain('Limit: 3');
  writeFileSync(script, text);
  const onComments = rules.filter(({ name }) => name === 'author-on-comments');
  table = await startTable(defineConfig({ table: names, rules: onComments }));
  client = new DynamoDBClient(table.clientSettings);
});
afterAll(async () => {
  client.destroy();
  await table.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await put([author, ...[1, 2, 3, 4, 5].map(old), ...others]);
});

describe('the script that adds what comments lack', () => {
  test('adds it to each once, so that the worker updates them, and leaves other items alone', async () => {
    expect(await ran('--dry-run')).toEqual({ found: 5, written: 0, changedMeanwhile: 0 });
    expect(await read(3)).toEqual(old(3));

    expect(await ran()).toEqual({ found: 5, written: 5, changedMeanwhile: 0 });
    await table.idle();

    for (const id of [1, 2, 3, 4, 5])
      expect(await read(id)).toEqual({ ...old(id), ...written, GSI1SK: `COMMENT#${id}`, AuthorName: 'Ada' });
    expect([await read(8), await read(9)]).toEqual(others.slice(1));
    expect(await ran()).toEqual({ found: 0, written: 0, changedMeanwhile: 0 });
  });

  test('goes on after the last page that was finished', async () => {
    let updates = 0;
    const endpoint = await forwardingProxy(table.endpoint, (operation) => {
      if (operation === 'UpdateItem') updates += 1;
      return operation !== 'UpdateItem' || updates <= 3;
    });

    await expect(ranAt(endpoint)).rejects.toThrow('AccessDenied');
    await put([old(1)]);
    expect((await ran()).found).toBe(2);

    expect(await read(1)).toEqual(old(1));
    for (const id of [2, 3, 4, 5]) expect(await read(id)).toMatchObject(written);
    expect(existsSync(join(folder, `add-author-ids.${table.tableName}.json`))).toBe(false);
  });

  test('does not make a comment again that is deleted meanwhile', async () => {
    const endpoint = await forwardingProxy(table.endpoint, async (operation, { Key }) => {
      if (operation === 'UpdateItem' && JSON.stringify(Key).includes('COMMENT#2'))
        await client.send(
          new DeleteItemCommand({
            TableName: table.tableName,
            Key: { PK: { S: 'POST#1' }, SK: { S: 'COMMENT#2' } },
          }),
        );
      return true;
    });

    expect(await ranAt(endpoint)).toEqual({ found: 5, written: 4, changedMeanwhile: 1 });
    expect(await read(2)).toBeUndefined();
  });

  test.each(['0', 'x'])('refuses the rate %s', async (rate) => {
    await expect(ran(`--rate=${rate}`)).rejects.toThrow('Expected --rate to be a whole number above 0');
  });
});

interface Counts {
  readonly found: number;
  readonly written: number;
  readonly changedMeanwhile: number;
}

function ran(...args: readonly string[]): Promise<Counts> {
  return ranAt(table.endpoint, ...args);
}

/** Runs the script as a user would, in the folder where it keeps its position. */
async function ranAt(endpoint: string, ...args: readonly string[]): Promise<Counts> {
  const env = {
    ...process.env,
    ...{ AWS_ENDPOINT_URL: endpoint, AWS_REGION: 'eu-central-1' },
    ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  };
  const called = [script, '--table', table.tableName, ...args];
  const { stdout } = await run(process.execPath, called, { cwd: folder, env, timeout: 30_000 });
  return JSON.parse(stdout) as Counts;
}

async function put(items: readonly Record<string, string>[]): Promise<void> {
  const requests = items.map((item) => ({
    PutRequest: { Item: Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }])) },
  }));
  await client.send(new BatchWriteItemCommand({ RequestItems: { [table.tableName]: requests } }));
}

async function read(id: number): Promise<Record<string, unknown> | undefined> {
  const Key = { PK: { S: 'POST#1' }, SK: { S: `COMMENT#${id}` } };
  const { Item } = await client.send(
    new GetItemCommand({ TableName: table.tableName, Key, ConsistentRead: true }),
  );
  return Item && Object.fromEntries(Object.entries(Item).map(([name, value]) => [name, value.S]));
}
