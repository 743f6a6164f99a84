import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { freePort } from '../../src/dev/local-server.ts';
import { type Application, applicationOf } from '../deployed/application.ts';
import { until } from '../deployed/until.ts';
import { inBackground } from './shell.ts';

/** `denorm dev` in a project, with its table as an application sees it. */
export interface Dev extends Application {
  readonly endpoint: string;
  stdout(): string;
  stderr(): string;
  /** Ends it, and gives its exit code. */
  stop(): Promise<number>;
}

/** Starts it on a free port. @param tableName the table that it must announce */
export async function startDev(project: string, tableName: string, keyNames = ['pk', 'sk']): Promise<Dev> {
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
  return {
    ...applicationOf(client, tableName, keyNames),
    endpoint: `http://127.0.0.1:${port}`,
    stdout: dev.stdout,
    stderr: dev.stderr,
    async stop() {
      client.destroy();
      return dev.stop();
    },
  };
}
