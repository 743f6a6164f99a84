import { expect, test } from 'vitest';
import { freePort } from '../../src/dev/local-server.ts';
import { start, until } from '../cli/denorm.ts';
import { embeddedTables } from '../cli/embedded-tables.ts';
import { stubCloud } from '../cli/stub-cloud.ts';
import { prodTable } from '../cli/watch/prod-table.ts';
import { newFolder } from '../suites/new-folder.ts';
import { browserPage, membership, user } from './opened-page.ts';

const { server } = embeddedTables();

/** The page of `denorm watch`. */
async function watched(endpoint: string): Promise<string> {
  const port = String(await freePort());
  const denorm = start(['watch', '--stack', 'prod', '--endpoint', endpoint, '--port', port], newFolder());
  await until(() => /^page .*\n/m.test(denorm.stdout()) || denorm.process.exitCode !== null, 'the page');
  return denorm
    .stdout()
    .replace(/^page /, '')
    .trim();
}

test('the page of a stack without metrics does not say that nothing was written', async () => {
  const cloud = await stubCloud('ArchiveBucketName', server().endpoint);
  const { page } = await browserPage(await watched(cloud.endpoint));

  await page.getByText('CloudWatch has no value of a written copy').waitFor();
  expect(await page.getByText('No copy was written').count()).toBe(0);
});

test('the page of a deployed stack shows what a stack tells, and offers nothing else', async () => {
  const table = await prodTable(server().endpoint);
  await table.put(user);
  await table.put(membership('1'));
  const cloud = await stubCloud('ArchiveBucketName', server().endpoint);
  cloud.metrics.set('propagate CopiesWritten Sum', 42).set('fan-out CopiesWritten Sum', 1_000);
  cloud.metrics.set('fan-out ChangeAge Maximum', 2_500);
  const ofRule = 'fan-out username-on-memberships MessageWait';
  cloud.metrics
    .set(`${ofRule} Sum`, 9_000_000)
    .set(`${ofRule} Maximum`, 90_000)
    .set(`${ofRule} SampleCount`, 100);
  const root = { pk: 'USER#1', sk: '#METADATA' };
  const message = { rule: 'username-on-memberships', root, cause: 'changed', attempts: 12 };
  cloud.deadLetters.add(JSON.stringify({ code: 'attempts.exceeded', reason: 'Gave up', message }));
  cloud.failed.put('aws/lambda/mapping/shard/batch-1', '{}');
  const url = await watched(cloud.endpoint);
  const { page, errors } = await browserPage(url, { viewport: { width: 400, height: 800 } });

  await page.getByText('read-only', { exact: true }).waitFor();
  expect(await page.getByText('A stack tells no single changes').isVisible()).toBe(true);
  expect(await page.locator('nav a').allInnerTexts()).toEqual(['Metrics', 'Rules', 'Items', 'Trouble']);
  await page.getByText('every copy was written within 2.5 s').waitFor();
  const written = await page.getByRole('row', { name: /^CopiesWritten/ }).innerText();
  expect(written.split('\n')).toEqual(['CopiesWritten', '42', '1,000']);
  const waits = await page.getByRole('row', { name: /^username-on-memberships/ }).innerText();
  expect(waits.split('\n')).toEqual(['username-on-memberships', '10', '90 s', '100']);

  await page.goto(`${url}#/items?pk=USER%231&sk=%23METADATA`);
  await page.getByText('1 right already').waitFor();
  expect(await page.getByRole('button').allInnerTexts()).toEqual(['Look up']);
  await page.goto(`${url}#/trouble`);
  await page.getByText('attempts.exceeded: Gave up').waitFor();
  await page.getByText('batch.given-up').waitFor();
  await page.getByText('aws/lambda/mapping/shard/batch-1').waitFor();
  expect(await page.getByRole('button').allInnerTexts()).toEqual(['Read them again']);
  for (const view of ['metrics', 'rules', 'items', 'trouble']) {
    await page.goto(`${url}#/${view}`);
    await page.getByRole('heading', { level: 2 }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(
      400,
    );
  }
  expect(errors).toEqual([]);
});
