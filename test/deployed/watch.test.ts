import { PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { expect, it } from 'vitest';
import { freePort } from '../../src/dev/local-server.ts';
import { start } from '../cli/denorm.ts';
import { openedAddress } from '../page/opened-address.ts';
import { newFolder } from '../suites/new-folder.ts';
import { application, atStack, cloud, operator, stack } from './here.ts';
import { incidentItems } from './items.ts';
import { cloudWatchOf } from './stack.ts';
import { until } from './until.ts';

it('denorm watch shows the metrics, an item, and the dead letters of a stack', async () => {
  const { root, said, copies } = incidentItems(2);
  await application.put(...copies);
  await application.put({ ...root, ...said });
  const cloudWatch = cloudWatchOf(cloud);
  const Timestamp = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 120_000);
  await cloudWatch.send(
    new PutMetricDataCommand({
      Namespace: `denorm/${stack.name}`,
      MetricData: [
        {
          ...{ MetricName: 'CopiesWritten', Value: 7, Timestamp },
          Dimensions: [{ Name: 'service', Value: 'propagate' }],
        },
      ],
    }),
  );
  const port = String(await freePort());
  const denorm = start(['watch', ...atStack, '--port', port], newFolder(), operator);
  const url = await until('the page', async () => /^page (\S+)/m.exec(denorm.stdout())?.[1]);
  const { origin, headers } = openedAddress(url);
  const ask = async (path: string) =>
    JSON.parse(await (await fetch(`${origin}/api/${path}`, { headers })).text());

  const metrics = await ask('metrics');
  expect(metrics.copies[0]).toMatchObject({ label: 'CopiesWritten', values: expect.arrayContaining([7]) });
  expect(metrics.sums).toContainEqual({ name: 'CopiesWritten', of: expect.arrayContaining([7]) });
  const item = await ask(`item?${new URLSearchParams({ pk: root.PK, sk: root.SK })}`);
  expect(item).toMatchObject({ item: { SK: { S: root.SK } } });
  expect(await ask('failures')).toMatchObject({ more: false });
});
