import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { freePort } from '../../../src/dev/local-server.ts';
import { openedAddress } from '../../page/opened-address.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { run, start, until } from '../denorm.ts';
import { embeddedTables } from '../embedded-tables.ts';
import { membership, user } from '../items.ts';
import { stubCloud } from '../stub-cloud.ts';
import { prodTable } from './prod-table.ts';

const { server } = embeddedTables();

async function watching(endpoint: string) {
  const port = String(await freePort());
  const denorm = start(['watch', '--stack', 'prod', '--endpoint', endpoint, '--port', port], newFolder());
  await until(() => /^page .*\n/m.test(denorm.stdout()) || denorm.process.exitCode !== null, 'the page');
  const url = /^page (http:\/\/127\.0\.0\.1:\d+\/\?token=\S+)$/m.exec(denorm.stdout())?.[1];
  expect(url, denorm.stderr()).toBeDefined();
  const { origin, headers } = openedAddress(url ?? '');
  return { url: `${origin}/`, headers, denorm };
}

async function json(url: string, headers: Readonly<Record<string, string>>) {
  return JSON.parse(await (await fetch(url, { headers })).text());
}

describe('denorm watch', () => {
  test('serves what a stack tells, and nothing else: metrics, an item, dead letters and given-up batches', async () => {
    const table = await prodTable(server().endpoint);
    await table.put(user);
    await table.put(membership);
    const cloud = await stubCloud('ArchiveBucketName', server().endpoint);
    cloud.metrics.set('propagate CopiesWritten Sum', 42).set('propagate ChangeAge p99', 1_234);
    const ofRule = 'fan-out username-on-memberships MessageWait';
    cloud.metrics.set(`${ofRule} Sum`, 9_000_000).set(`${ofRule} Maximum`, 90_000);
    cloud.metrics.set(`${ofRule} SampleCount`, 100);
    cloud.metrics.set('heartbeat BeatOverdue Maximum', 1_500).set('heartbeat PauseAge Maximum', 0);
    const asked = { rule: 'username-on-memberships', root: { pk: 'USER#1', sk: '#METADATA' } };
    const message = { ...asked, cause: 'changed', attempts: 12 };
    cloud.deadLetters.add(JSON.stringify({ code: 'attempts.exceeded', reason: 'Gave up', message }));
    cloud.failed.put('aws/lambda/mapping/shard/batch-1', '{}');
    const { url, headers, denorm } = await watching(cloud.endpoint);

    expect(await json(`${url}api/project`, headers)).toMatchObject({
      ...{ table: 'prod-table', where: 'of stack prod in us-east-1' },
      answers: ['GET /api/item', 'GET /api/items', 'GET /api/failures', 'GET /api/metrics'],
    });
    const { times, copies, heartbeat, services, sums, rules } = await json(`${url}api/metrics`, headers);
    expect([times.length, services, sums]).toEqual([
      ...[180, ['propagate']],
      [{ name: 'CopiesWritten', of: [42] }],
    ]);
    expect(rules).toEqual([{ rule: 'username-on-memberships', waiting: 10, waitMs: 90_000, received: 100 }]);
    expect(heartbeat).toBe('Heartbeat: a beat has been due for 25 min.');
    // Not always the last: a minute may begin in between.
    expect(copies[0]).toMatchObject({ label: 'CopiesWritten', values: expect.arrayContaining([42]) });
    expect(await json(`${url}api/item?pk=USER%231&sk=%23METADATA`, headers)).toMatchObject({
      kinds: ['User'],
      now: [{ text: 'username-on-memberships: 1 to write, 0 right already' }, {}],
    });
    expect(await json(`${url}api/failures`, headers)).toMatchObject({
      failures: [
        { code: 'attempts.exceeded', rule: 'username-on-memberships', redrivable: true },
        { code: 'batch.given-up', record: 'aws/lambda/mapping/shard/batch-1', redrivable: false },
      ],
      more: false,
    });
    expect(cloud.deadLetters.hidden()).toBe(0);

    denorm.process.kill('SIGTERM');
    expect(await denorm.exited).toBe(0);
  });

  test('asks CloudWatch once for all pages of a minute', async () => {
    const cloud = await stubCloud();
    const { url, headers } = await watching(cloud.endpoint);
    await Promise.all([json(`${url}api/metrics`, headers), json(`${url}api/metrics`, headers)]);
    await json(`${url}api/metrics`, headers);

    expect(cloud.metricRequests).toHaveLength(1);
    const { rules, aggregates } = config.registry();
    expect(cloud.metricRequests[0]).toBeLessThanOrEqual(32 + 3 * (rules.length + aggregates.length));
  });

  test.each([
    ['no stack', [], 'usage.stack'],
    ['a stage without a stack', ['--stage', 'nowhere'], 'usage.stage'],
  ])('ends with 2 for %s', async (_, args, code) => {
    const ran = await run(['watch', ...args], newFolder(), { AWS_ENDPOINT_URL: undefined });

    expect([ran.code, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(`denorm: ${code}: Expected --sta`);
  });
});
