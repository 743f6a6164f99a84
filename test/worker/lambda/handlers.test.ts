import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import config from '../../../denorm.config.ts';
import { clientSettings } from '../../../src/worker/adapters/client-settings.ts';
import { deployedRules, functionSettings } from '../../../src/worker/environment.ts';
import { type Remaining, reserveForAnswerMs, reserveForQueueMs } from '../../../src/worker/lambda/clients.ts';
import { archiveHandler, propagateHandler } from '../../../src/worker/lambda/index.ts';
import { propagationContext } from '../../../src/worker/lambda/propagation-context.ts';
import { silentTelemetry } from '../../../src/worker/ports.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { drifted, functions } from './functions.ts';
import { captureLines } from './logged-lines.ts';
import { operations, outcome, type Run, sentBy } from './run.ts';
import { expected } from './settings.ts';
import { allWell, type Services, stubServices } from './stub-services.ts';

const state: Services = { ...allWell };
const services = await stubServices(state);
afterAll(() => services.close());

const { endpoint } = services;
const base = environmentOf({
  ...{ AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
  ...{ AWS_ENDPOINT_URL_DYNAMODB: endpoint, AWS_ENDPOINT_URL_SQS: endpoint },
  // With a host name, the SDK would make the bucket a part of it. It does not with an address.
  AWS_ENDPOINT_URL_S3: endpoint.replace('127.0.0.1', 'localhost'),
  ...{ TABLE_NAME: 'app-table', ARCHIVE_BUCKET: 'app-archive' },
  ...{ FAN_OUT_QUEUE_URL: 'fan-out', DEAD_LETTER_QUEUE_URL: 'dead-letters' },
  ...{ POWERTOOLS_METRICS_NAMESPACE: 'denorm', POWERTOOLS_SERVICE_NAME: 'denorm' },
});

/** These variables, with the URL of each queue instead of its name. */
function environmentOf(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, text]) => [
      name,
      name.endsWith('_QUEUE_URL') ? `${endpoint}/1/${text}` : text,
    ]),
  );
}

let lines: readonly string[] = [];

beforeEach(() => {
  lines = captureLines();
  Object.assign(state, allWell);
  // A sample of ten segments has the first one.
  let drawn = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => (drawn++ % 10) / 10);
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'Date'],
    shouldAdvanceTime: true,
    advanceTimeDelta: 1,
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Starts a function in an environment with these variables, and runs it whenever the result is called. */
function started(
  name: keyof typeof functions,
  variables: Readonly<Record<string, string>> = {},
  more: Services['stored'] = [],
) {
  for (const [variable, text] of Object.entries({ ...base, ...environmentOf(variables) }))
    vi.stubEnv(variable, text);
  const { start, stored } = functions[name];
  state.stored = [...stored, ...more];
  let handler: ReturnType<typeof start> | undefined;
  return async (invocation: Remaining): Promise<Run> => {
    services.requests.length = 0;
    const before = lines.length;
    let answer: unknown;
    try {
      handler ??= start();
      answer = await handler(invocation);
    } catch (error) {
      answer = error;
    }
    return {
      answer,
      requests: services.requests.map(sentBy),
      lines: lines.slice(before).map((line) => JSON.parse(line)),
    };
  };
}

/** An invocation of this length in milliseconds. Asked again, it reports this much more, as if it ended sooner than it says. */
function lasting(length: number, more = 0): Remaining {
  const end = Date.now() + length;
  let added = 0;
  return {
    getRemainingTimeInMillis: () => {
      const left = end + added - Date.now();
      added = more;
      return left;
    },
  };
}

const settings = z.object({ Environment: z.object({ Variables: z.looseObject({}) }) });

/** The variables that the stack sets for a function. */
function setFor(name: string): readonly string[] {
  return [stack.Globals['Function'], stack.Resources[name]?.Properties].flatMap((properties) =>
    Object.keys(settings.parse(properties).Environment.Variables),
  );
}

/** The variables that a function reads. */
function readBy(name: keyof typeof functions): readonly string[] {
  const names = new Set<string>();
  const environment = new Proxy<NodeJS.ProcessEnv>(
    { ...base },
    {
      get: (target, name) => {
        names.add(String(name));
        return Reflect.get(target, name);
      },
    },
  );
  functionSettings(name, environment);
  deployedRules(config, environment);
  return [...names];
}

/** Without the endpoints, which `test/worker/environment.test.ts` tries for every function. */
function withoutEndpoints(variables: readonly string[]): readonly string[] {
  return variables.filter((name) => !name.startsWith('AWS_')).sort();
}

describe.each(Object.keys(functions) as (keyof typeof functions)[])('%s', (name) => {
  const { rows, silent } = expected[name];
  const variables = rows.map(([variable]) => variable);
  let standard: Run | undefined;

  test.each(rows)('obeys %s=%s', async (variable, value, effect, byDefault, byValue) => {
    standard ??= await started(name)(lasting(60_000));
    expect(effect(standard)).toEqual(byDefault);
    expect(effect(await started(name, { [variable]: value })(lasting(60_000)))).toEqual(byValue);
  });

  test('has a row above for each variable that it reads, and that the stack sets', () => {
    expect(variables.filter((variable) => !variable.startsWith('POWERTOOLS_')).sort()).toEqual(
      withoutEndpoints(readBy(name)),
    );
    expect([...variables].sort()).toEqual(withoutEndpoints(setFor(name)));
  });

  test('does the same after its first invocation is over', async () => {
    const invoke = started(name);
    const first = await invoke(lasting(60_000));
    vi.advanceTimersByTime(61_000);

    expect(operations(await invoke(lasting(60_000)))).toEqual(operations(first));
  });

  test.each(Object.entries(silent))('answers in time if the %s never does', async (service, result) => {
    Object.assign(state, { [service]: 'silent' });
    services.unanswered.length = 0;
    const end = Date.now() + 12_000;
    // Sweep and Verify ask for nothing in their last minute: only the time of the requests is short.
    const more = service === 'table' && silent.queue === undefined ? 40_000 : 0;
    const run = started(name)(lasting(12_000, more));
    while (services.unanswered.length === 0) await delay(5);
    vi.setTimerTickMode('manual');
    vi.advanceTimersByTime(end - (service === 'queue' ? reserveForQueueMs : reserveForAnswerMs) - Date.now());

    expect(outcome(await run)).toBe(result);
  });
});

test('a name with an escape is archived as it is, whatever names were read before', async () => {
  JSON.parse(String.raw`{"a":{"S":"1"},"\\":{"S":"2"}}`);
  const Notes = { M: { a: { S: '1' }, '"': { S: '2' } } };
  const invoke = started('Sweep');
  state.stored = [{ ...functions.Sweep.stored[0], Notes }];

  const { requests } = await invoke(lasting(60_000));

  const put = requests.find(
    ({ operation, path }) => operation === 'PUT' && path.includes('/archive/Incident'),
  );
  expect(put?.body).toMatchObject({ Item: { Notes } });
});

test.each([
  ['Propagate', propagateHandler],
  ['Archive', archiveHandler],
] as const)('%s refuses records of another table before it asks for anything', async (_, handlerFor) => {
  for (const [variable, text] of Object.entries(base)) vi.stubEnv(variable, text);
  services.requests.length = 0;
  const handler = handlerFor(config);
  const invoke = (table: string) => {
    const eventSourceARN = `arn:aws:dynamodb:us-east-1:123456789012:table/${table}/stream/1`;
    return handler(
      { Records: [{ eventID: '1', eventSource: 'aws:dynamodb', eventSourceARN }] },
      lasting(60_000),
    );
  };

  await expect(invoke('app-table-2')).rejects.toMatchObject({ code: 'stream.other-table' });
  expect(services.requests).toEqual([]);
  expect(await invoke('app-table')).toEqual({ batchItemFailures: [] });
});

test('Propagate writes the items of a batch together', async () => {
  const { requests } = await started('Propagate')(lasting(60_000));
  const batches = requests.filter(({ text }) => text.includes('"GSI2PK\\"=?'));

  expect(batches.map(({ text }) => text.match(/ORDER#[34]/g))).toEqual([['ORDER#3', 'ORDER#4']]);
});

test('Archive tries again after the SDK has given up', async () => {
  state.bucket = 'away';
  const run = started('Archive')(lasting(60_000));
  while (services.requests.filter(({ method }) => method === 'HEAD').length < clientSettings.maxAttempts)
    await delay(1);
  state.bucket = 'well';

  expect(outcome(await run)).toBe('acknowledged');
});

test.each(['Archive', 'Sweep'] as const)(
  '%s puts no body twice, so that no ETag comes again',
  async (name) => {
    const invoke = started(name);
    const runs = [await invoke(lasting(60_000)), await invoke(lasting(60_000))];
    const bodies = runs.flatMap(({ requests }) =>
      requests
        .filter(({ operation, text }) => operation === 'PUT' && text.includes('"Item"'))
        .map(({ text }) => text),
    );

    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(2);
  },
);

test('Verify ends in its last ten seconds, whatever it suspects', async () => {
  let left = 60_000;
  const run = started('Verify', {}, [drifted])({ getRemainingTimeInMillis: () => left });
  while (!services.requests.some(({ headers }) => String(headers['x-amz-target']).endsWith('GetItem')))
    await delay(1);
  left = 9_000;

  expect((await run).answer).toMatchObject({ drift: 0, finished: false });
});

test('a propagation is out of time if it would have to wait into the last ten seconds', () => {
  const settings = functionSettings('FanOut', base);
  const contextOf = propagationContext(settings, config.registry(), silentTelemetry);
  const { outOfTime } = contextOf({ getRemainingTimeInMillis: () => 15_000 });

  expect([0, 5_000, 5_001].map((ahead) => outOfTime(ahead))).toEqual([false, false, true]);
});
