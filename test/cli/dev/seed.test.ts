import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../../scripts/python-tools.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, startDev, until } from '../denorm.ts';
import { membership } from '../items.ts';

const renamed = join(projectFolder, 'events/user-renamed.json');

test('denorm dev --seed puts the items of events, and names the roots that the table lacks', async () => {
  const cwd = newFolder();
  const image = Object.entries({ ...membership, PK: 'SERVER#9', SK: 'USER#9', userId: '9', username: 'Jo' });
  const NewImage = Object.fromEntries(image.map(([name, text]) => [name, { S: text }]));
  const { PK, SK } = NewImage;
  const dynamodb = { Keys: { PK, SK }, NewImage, SequenceNumber: '1' };
  writeFileSync(
    join(cwd, 'membership.json'),
    JSON.stringify({
      Records: [{ eventID: '1', eventName: 'INSERT', eventSource: 'aws:dynamodb', dynamodb }],
    }),
  );
  const at = ['--endpoint', `http://127.0.0.1:${await freePort()}`];
  const port = at[1]?.split(':').at(-1) ?? '';
  const dev = await startDev(
    ['--port', port, '--no-worker', '--no-check', '--seed', renamed, '--seed', 'membership.json'],
    cwd,
  );

  await until(() => dev.stderr().includes('does not exist'), 'the missing root');
  expect(dev.stderr()).toMatch(/put 2 items of .*user-renamed\.json, membership\.json into table app/);
  expect(dev.stderr()).toContain('the root {"PK":"USER#9","SK":"#METADATA"} does not exist in table app');
  expect(dev.stderr()).not.toContain('USER#42","SK":"#METADATA"} does not exist');
  const { stdout } = await run(['explain', '{"PK":"USER#42","SK":"#METADATA"}', ...at], cwd);
  expect(stdout).toContain('root, propagates');
});
