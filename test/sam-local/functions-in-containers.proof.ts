import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildStack } from '../../scripts/build-stack.ts';
import { type EventExample, eventExamples } from '../events/event-examples.ts';
import { type DevEnvironment, imageOptions, openDevEnvironment, run } from './dev-environment.ts';

const clean = '{"batchItemFailures": []}';

let devEnvironment: DevEnvironment;

beforeAll(async () => {
  await buildStack();
  devEnvironment = await openDevEnvironment();
  return () => devEnvironment.close();
});

beforeEach(() => devEnvironment.clear());

function example(name: string): EventExample {
  return eventExamples.find((each) => each.name === name) ?? expect.fail(`no event ${name}`);
}

/** The command that `denorm dev --sam` prints, for this function and event instead of its own. */
function invoke(name: string, event?: string) {
  const [, command = ''] = /^ {2}(.+ local invoke .+)$/m.exec(devEnvironment.said()) ?? [];
  const given = event === undefined ? '' : ` --event events/${event}.json`;
  return run('sh', [
    '-c',
    [command.replace(/Propagate --event \S+/, name + given), ...imageOptions].join(' '),
  ]);
}

const order = { pk: 'ORDER#1001', sk: 'METADATA' };

async function participations() {
  const items = await devEnvironment.items();
  return items.flatMap(({ PK, State }) => (PK?.S?.endsWith('#incpart') ? [State?.S] : []));
}

async function usernames() {
  const items = await devEnvironment.items();
  return items.flatMap(({ PK, username }) => (PK?.S?.startsWith('SERVER#') ? [username?.S] : []));
}

/** For an event of each sort: what is there after its function has run in a container, and was not before. */
const outcomes: Readonly<Record<string, () => Promise<void>>> = {
  async 'incident-closed'() {
    expect(await participations()).toEqual(['CLOSED', 'CLOSED', 'CLOSED']);
  },
  async 'user-renamed'() {
    expect(await usernames()).toEqual(['countess', 'countess']);
    // The copies were found by an index: it is looked at again, a minute later.
    expect(await devEnvironment.waiting('fan-out')).toBe(1);
  },
  async 'order-expiring'() {
    const [[key, text] = ['', '']] = await devEnvironment.objects();
    expect(key).toBe('archive/Order/ORDER%231001/METADATA.json');
    expect(JSON.parse(text)).toEqual({ Item: await devEnvironment.application.getRaw(order) });
  },
  async 'order-expired'() {
    const [[key, text] = ['', '']] = await devEnvironment.objects();
    expect(key).toMatch(/^archive\/Order\/ORDER%231001\/METADATA\.json/);
    expect(JSON.parse(text)).toMatchObject({ Item: { Status: { S: 'PENDING' }, Total: { N: '59.97' } } });
  },
  async 'rest-of-a-large-fan-out'() {
    // The message goes on after the second copy.
    expect(await participations()).toEqual(['OPEN', 'OPEN', 'CLOSED']);
  },
};

test.each(Object.entries(outcomes))(
  'on %s a function does in a container what it does in AWS',
  async (name, hold) => {
    const { function: functionName, before, change } = example(name);
    for (const item of before) await devEnvironment.application.put(item);
    await change(devEnvironment.application);
    const { code, stdout, stderr } = await invoke(functionName, name);

    expect({ code, stdout: stdout.trim(), stderr }).toMatchObject({ code: 0, stdout: clean });
    await hold();
    expect(await devEnvironment.waiting('dead-letters')).toBe(0);
  },
);

test('Sweep archives a finished order and its items in the bucket, and sets their TTL', async () => {
  const key = { PK: 'ORDER#7', SK: 'METADATA' };
  const CreatedAt = '2020-01-15T09:30:00Z';
  await devEnvironment.application.put({
    ...{ ...key, Type: 'Order', UserId: '1', Status: 'DELIVERED', Total: 1, CreatedAt },
    ...{ GSI2PK: 'STATUS#DELIVERED', GSI2SK: `ORDER#${CreatedAt}` },
  });
  const { code, stdout, stderr } = await invoke('Sweep');

  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await devEnvironment.application.get({ pk: 'ORDER#7', sk: 'METADATA' })).toHaveProperty('ExpiresAt');
  expect([...(await devEnvironment.objects()).keys()]).toContain('archive/Order/ORDER%237/METADATA.json');
});

test('Verify reads a whole small table, and finds a wrong copy', async () => {
  const { before } = example('user-renamed');
  for (const item of before) await devEnvironment.application.put(item);
  await devEnvironment.application.update({ pk: 'SERVER#engines', sk: 'USER#42' }, { username: 'stale' });
  const { code, stdout, stderr } = await invoke('Verify');

  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({ items: 3, copies: 2, drift: 1, finished: true });
});

describe('a function that fails reports why,', () => {
  function change(set: Readonly<Record<string, string>>): void {
    const file = join(devEnvironment.stateDir, 'sam-env.json');
    const { Parameters } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ Parameters: { ...Parameters, ...set } }));
  }

  test('for a bucket of AWS beside a local table', async () => {
    change({ AWS_ENDPOINT_URL_S3: '' });
    const { code, stdout, stderr } = await invoke('Archive', 'order-expiring');

    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      errorType: 'DenormError',
      errorMessage: expect.stringContaining('set AWS_ENDPOINT_URL_S3 to a local one'),
    });
  });

  test.each(['Verify', 'Sweep'])('for %s if nothing listens, within seconds', async (name) => {
    // What discards all, and nobody runs.
    change({ AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:9' });
    const { stdout, stderr } = await invoke(name);
    const [, milliseconds = '0'] = /\tDuration: ([\d.]+) ms/.exec(stderr) ?? [];

    expect(JSON.parse(stdout)).toMatchObject({
      errorType: 'TransientError',
      errorMessage: expect.stringMatching(/found that nothing listens at [\d.]+:9: /),
    });
    expect(Number(milliseconds)).toBeGreaterThan(0);
    expect(Number(milliseconds)).toBeLessThan(12_000);
  });
});
