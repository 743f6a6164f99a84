import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect, inject, test } from 'vitest';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { createTable } from '../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { applicationOf } from '../deployed/application.ts';
import { incidentItems } from '../deployed/items.ts';
import { settings } from '../fixtures/application/stack.ts';
import { succeeds } from './shell.ts';

const items = 20_000;
const maxMegabytes = 150;

test(`verify of ${items} items stays below ${maxMegabytes} MB of memory`, async () => {
  const folder = join(inject('empty'), 'wide');
  const peaks = join(inject('empty'), 'peaks');
  await succeeds(`npx stream-denormalizer init '${folder}' --sample incidents`, inject('empty'));
  const server = await startEmbeddedTableServer();
  const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  try {
    await createTable(server.endpoint, 'wide', settings.table);
    const { root, said, copies } = incidentItems(items);
    const wide = applicationOf(DynamoDBDocumentClient.from(client), 'wide');
    await wide.putMany([{ ...root, ...said }, ...copies]);
    const notesPeak = `process.on("exit",()=>process.getBuiltinModule("fs").appendFileSync(${JSON.stringify(peaks)},process.argv[1]+" "+process.resourceUsage().maxRSS+"\\n"))`;
    const printed = await succeeds(
      `npx denorm verify --table wide --endpoint ${server.endpoint} --rcu unlimited --grace 0`,
      folder,
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(notesPeak)}` },
    );

    expect(printed).toContain('20,001 items read; found nothing');
    const [, kilobytes] = /dist\/cli\/main\.js (\d+)$/m.exec(readFileSync(peaks, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1024).toBeLessThan(maxMegabytes);
  } finally {
    client.destroy();
    await server.stop();
  }
});
