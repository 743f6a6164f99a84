import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { startTable, type TestTable } from 'stream-denormalizer/testing';
import { onTestFinished } from 'vitest';
import { run } from '../cli/denorm.ts';
import { newFolder } from '../suites/new-folder.ts';

interface OpenedTable extends Pick<TestTable, 'tableName' | 'idle'> {
  readonly client: DynamoDBClient;
  readonly documents: DynamoDBDocumentClient;
  /** What `denorm verify` says of the table. */
  verified(): Promise<unknown>;
  /** The kinds and rules that `denorm pull` writes for the table. */
  pulled(): Promise<{ readonly kinds: string; readonly rules: string }>;
}

/** An empty table of a config of this folder, with the worker. It is closed after the test. */
export async function openedTable(name: string): Promise<OpenedTable> {
  const file = fileURLToPath(new URL(`${name}.config.ts`, import.meta.url));
  const { default: config } = await import(/* @vite-ignore */ file);
  const { endpoint, tableName, clientSettings, idle, close } = await startTable(config);
  const client = new DynamoDBClient(clientSettings);
  onTestFinished(async () => {
    client.destroy();
    await close();
  });
  return {
    ...{ tableName, idle, client, documents: DynamoDBDocumentClient.from(client) },
    async verified() {
      const where = ['--config', file, '--endpoint', endpoint, '--table', tableName];
      const { stdout, stderr } = await run(['verify', ...where, '--grace', '0', '--json'], newFolder());
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').summary;
    },
    async pulled() {
      const folder = newFolder();
      const { code, stderr } = await run(['pull', '.', '--endpoint', endpoint, '--table', tableName], folder);
      if (code !== 0) throw new Error(stderr);
      const [kinds = '', rules = ''] = ['kinds', 'rules'].map((name) =>
        readFileSync(join(folder, `src/${name}.ts`), 'utf8'),
      );
      return { kinds, rules };
    },
  };
}
