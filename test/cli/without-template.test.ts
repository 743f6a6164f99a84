import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ApplicationTable } from '../../scripts/demo/application-table.ts';
import { freePort } from '../../src/dev/local-server.ts';
import { table } from '../../src/table.ts';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { run, start, until } from './denorm.ts';
import { membership, membershipKey, user } from './items.ts';

const own = { DENORM_CONFIG: '' };

/** A project whose functions another tool deploys. */
function projectWithoutTemplate(): string {
  const project = projectCopy();
  rmSync(join(project, 'template.yaml'));
  return project;
}

test('dev, explain and cost need no template.yaml', async () => {
  const project = projectWithoutTemplate();
  const port = await freePort();
  const dev = start(['dev', '--no-page', '--no-check', '--port', String(port)], project, own);
  await until(() => dev.stdout().includes('ready ') || dev.process.exitCode !== null, 'the ready line');
  const endpoint = `http://127.0.0.1:${port}`;
  const application = new ApplicationTable(endpoint, 'app', table);
  await application.put(user);
  await application.put({ ...membership, username: 'Old' });
  await until(async () => (await application.get(membershipKey))?.['username'] === user.username, 'the copy');
  application.close();

  const explain = ['explain', '{"PK":"USER#1","SK":"#METADATA"}', '--endpoint', endpoint];
  expect(await run(explain, project, own)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['cost', '--copies', '1'], project, own)).toMatchObject({ code: 0, stderr: '' });
});
