import { expect, it } from 'vitest';
import { freePort } from '../../src/develop/dev/table/free-port.ts';
import { start } from '../cli/denorm.ts';
import { openedAddress } from '../develop/page/opened-address.ts';
import { newFolder } from '../suites/new-folder.ts';
import { application, atStack, operator } from './here.ts';
import { incidentItems } from './items.ts';
import { until } from './until.ts';

it('denorm watch shows an item, and the dead letters', async () => {
  const { root, said, copies } = incidentItems(2);
  await application.put(...copies);
  await application.put({ ...root, ...said });
  const port = String(await freePort());
  const denorm = start(['watch', ...atStack, '--port', port], newFolder(), operator);
  const url = await until('the page', async () => /^page (\S+)/m.exec(denorm.stdout())?.[1]);
  const { origin, headers } = openedAddress(url);
  const ask = async (path: string) =>
    JSON.parse(await (await fetch(`${origin}/api/${path}`, { headers })).text());

  const item = await ask(`item?${new URLSearchParams({ pk: root.PK, sk: root.SK })}`);
  expect(item).toMatchObject({ item: { SK: { S: root.SK } } });
  expect(await ask('failures')).toMatchObject({ more: false });
});
