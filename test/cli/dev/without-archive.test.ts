import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ApplicationTable } from '../../../scripts/demo/application-table.ts';
import { onFailureFolder } from '../../../src/dev/event-source/on-failure-folder.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { table } from '../../../src/table.ts';
import { projectCopy } from '../../fixtures/application/project-copy.ts';
import { run, start, until } from '../denorm.ts';
import { givenUp, record } from '../dlq/failed-work.ts';
import { membership, membershipKey, user } from '../items.ts';

/** The tests' application without its archive rules, with the template of before. */
function projectWithoutArchive(): string {
  const project = projectCopy();
  const file = join(project, 'denorm.config.ts');
  const config = readFileSync(file, 'utf8');
  writeFileSync(file, config.replace(/ {2}archives: [\s\S]*?\n {2}\],\n/, ''));
  expect(readFileSync(file, 'utf8')).not.toBe(config);
  return project;
}

const own = { DENORM_CONFIG: '' };

test('denorm dev propagates in a project without archive rules', async () => {
  const project = projectWithoutArchive();
  const port = await freePort();
  const args = ['dev', '--port', String(port)];

  const dev = start(args, project, own);
  await until(() => dev.stdout().includes('ready '), 'the ready line');
  await until(
    () => dev.stderr().includes('check: template  template.yaml  Expected template.yaml to be what'),
    'the outdated template',
  );
  const application = new ApplicationTable(`http://127.0.0.1:${port}`, 'app', table);
  onTestFinished(() => application.close());
  await application.put(user);
  await application.put(membership);
  await until(async () => (await application.get(membershipKey))?.['username'] === user.username, 'the copy');
});

test('denorm dlq redrive keeps a batch of Archive in a project without archive rules, and says what to do', async () => {
  const project = projectWithoutArchive();
  const keep = onFailureFolder(join(project, '.denorm'));
  await keep(givenUp('Archive', record({ PK: 'a', SK: 'b' })), 'Archive');
  const port = await freePort();
  const args = ['dlq', 'redrive', '--all', '--endpoint', `http://127.0.0.1:${port}`, '--table', 'app'];
  args.push('--state-dir', '.denorm');

  expect(await run(args, project, own)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('nothing is archived any more: remove the batch, or add an archive rule'),
  });
});
