import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { startEmbeddedTableServer } from '../../src/develop/dev/table/embedded-table-server.ts';
import { succeeds } from './shell.ts';
import { seedWidePartition } from './wide-partition.ts';

const items = 20_000;
const maxMegabytes = 150;

test(`verify of ${items} items stays below ${maxMegabytes} MB of memory`, async () => {
  const folder = join(inject('empty'), 'wide');
  const peaks = join(inject('empty'), 'peaks');
  await succeeds(`npx stream-denormalizer init '${folder}' --sample incidents`, inject('empty'));
  const server = await startEmbeddedTableServer();
  try {
    await seedWidePartition(server.endpoint, 'wide', items, () => {});
    const notesPeak = `process.on("exit",()=>process.getBuiltinModule("fs").appendFileSync(${JSON.stringify(peaks)},process.argv[1]+" "+process.resourceUsage().maxRSS+"\\n"))`;
    const printed = await succeeds(
      `npx denorm verify --table wide --endpoint ${server.endpoint} --rcu unlimited --grace 0`,
      folder,
      { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(notesPeak)}` },
    );

    expect(printed).toContain('20,001 items read, 0 drifted');
    const [, kilobytes] = /dist\/cli\/main\.js (\d+)$/m.exec(readFileSync(peaks, 'utf8')) ?? [];
    expect(Number(kilobytes) / 1024).toBeLessThan(maxMegabytes);
  } finally {
    await server.stop();
  }
});
