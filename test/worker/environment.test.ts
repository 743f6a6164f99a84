import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import {
  deployedRules,
  deployedSettings,
  functionSettings,
  isLocalEndpoint,
} from '../../src/worker/environment.ts';
import { refusal } from '../suites/refusal.ts';

const ofAws = 'https://sqs.eu-central-1.amazonaws.com/1/queue';
const inMemory = 'http://host.docker.internal:4566';
const localQueue = `${inMemory}/000000000000/queue`;

const real = {
  ...{ TABLE_NAME: 'app', ARCHIVE_BUCKET: 'bucket', FAN_OUT_QUEUE_URL: ofAws, DEAD_LETTER_QUEUE_URL: ofAws },
  ...{ AWS_ENDPOINT_URL_DYNAMODB: '', AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL_SQS: '' },
};
const local = {
  ...{ TABLE_NAME: 'app', ARCHIVE_BUCKET: 'bucket' },
  ...{ FAN_OUT_QUEUE_URL: localQueue, DEAD_LETTER_QUEUE_URL: localQueue },
  ...{ AWS_ENDPOINT_URL_DYNAMODB: 'http://172.17.0.1:8000' },
  ...{ AWS_ENDPOINT_URL_S3: inMemory, AWS_ENDPOINT_URL_SQS: inMemory },
};

describe('the settings of a function', () => {
  test('are those that the table gives it, each under its name', () => {
    expect(
      functionSettings('Propagate', { ...real, GLOBAL_TABLE_REPLICA: 'true', PAGE_LIMIT: '1000' }),
    ).toEqual({
      tableName: 'app',
      disabledRules: undefined,
      deadLetterQueueUrl: ofAws,
      fanOutQueueUrl: ofAws,
      pageLimit: 1000,
      fanOutWriteUnits: 800,
      recheckDelaySeconds: 60,
      globalTableReplica: true,
      local: false,
    });
    expect(functionSettings('Sweep', real)).toEqual({
      tableName: 'app',
      disabledRules: undefined,
      archiveBucket: 'bucket',
      archiveStorageClass: 'STANDARD',
      sweepReadUnits: 50,
      local: false,
    });
  });

  test('cannot be changed afterwards, and hold nothing else of the environment', () => {
    const settings = functionSettings('Propagate', { ...real, AWS_SECRET_ACCESS_KEY: 'secret' });

    expect(Object.isFrozen(settings)).toBe(true);
    expect(JSON.stringify(settings)).not.toContain('secret');
  });

  test('report everything that is missing or wrong at once', () => {
    const given = { FAN_OUT_QUEUE_URL: 'queue', PAGE_LIMIT: 'many', RECHECK_DELAY_SECONDS: '901' };
    const error = refusal(() => functionSettings('Propagate', given));

    expect(error.code).toBe('environment.invalid');
    expect(error.message).toMatch(/^Expected the function's environment to be complete, found 5 wrong: /);
    for (const name of ['TABLE_NAME', 'DEAD_LETTER_QUEUE_URL'])
      expect(error.message).toContain(`${name}: missing`);
    expect(error.message).toContain("PAGE_LIMIT: expected a whole number from 1 to 1000, got 'many'; ");
    for (const name of Object.keys(given)) expect(error.message).toContain(`${name}: expected `);
  });
});

describe('the rules of a function', () => {
  const deployed = (environment: NodeJS.ProcessEnv) => {
    const rules = deployedRules(config, environment);
    return [...rules.rules, ...rules.archives].map(({ name }) => name);
  };

  test('are all of the config where the environment says nothing', () => {
    expect(deployed({})).toEqual(
      [...config.registry().rules, ...config.registry().archives].map(({ name }) => name),
    );
  });

  test('are without those that the environment switches off', () => {
    const names = deployed({ DISABLED_RULES: ' order-status-keys, archive-orders,,' });

    expect(names).not.toContain('order-status-keys');
    expect(names).not.toContain('archive-orders');
    expect(names).toContain('order-on-user-order');
  });

  test('are all of them if its list is empty, also those that the config switches off', () => {
    for (const DISABLED_RULES of ['', 'none'])
      expect(deployedSettings(config, { DISABLED_RULES })).toEqual({ parameters: {}, disabled: [] });
    expect(deployedSettings(config, {})).toEqual({ parameters: {} });
  });

  test('get the parameters of the environment', () => {
    const [aging] = deployedRules(config, { SWEEP_AFTER_DAYS: '7' }).archives;

    expect(aging?.ages?.days).toBe(7);
    expect(() => deployed({ STATUS_SHARDS: '0' })).toThrow(/the parameter StatusShards/);
  });
});

/** Each function, with what it talks to beside the table. */
const functions = [
  ['Propagate', ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['FanOut', ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['Archive', ['AWS_ENDPOINT_URL_S3', 'DEAD_LETTER_QUEUE_URL']],
  ['Sweep', ['AWS_ENDPOINT_URL_S3']],
  ['Verify', ['FAN_OUT_QUEUE_URL']],
  ['Heartbeat', []],
] as const;

describe.each(functions)('%s', (name, others) => {
  const isLocal = (environment: NodeJS.ProcessEnv) => functionSettings(name, environment).local;

  test('reports a local environment if everything is local', () => {
    const queues = { FAN_OUT_QUEUE_URL: localQueue, DEAD_LETTER_QUEUE_URL: localQueue };

    expect(isLocal(local)).toBe(true);
    expect(isLocal({ ...real, ...queues, AWS_ENDPOINT_URL: inMemory })).toBe(true);
  });

  test('reports AWS if endpoints are empty, missing, or ignored by the SDK', () => {
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, ...missing } = real;
    const ignored = { AWS_ENDPOINT_URL: inMemory, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' };

    expect([real, missing, { ...real, ...ignored }].map(isLocal)).toEqual([false, false, false]);
  });

  test('treats endpoints on other machines like those of AWS', () => {
    const bucket = { AWS_ENDPOINT_URL_S3: 'https://s3.example.com' };
    expect(isLocal({ ...real, ...bucket })).toBe(false);
    expect(() => isLocal({ ...local, ...bucket })).toThrow('at s3.example.com: set AWS_ENDPOINT_URL_S3');
  });

  test.each(others)('does not start on a local table with %s of AWS', (variable) => {
    const error = refusal(() => isLocal({ ...local, [variable]: real[variable] }));
    expect(error.code).toBe('environment.mixed');
    expect(error.message).toMatch(
      /^Expected table, bucket and queues to be all local or all of AWS, found the table at 172\.17\.0\.1:8000 and the /,
    );
    expect(error.message).toContain(`: set ${variable} to a local one (`);
  });

  test.each(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_SQS', ...others] as const)(
    'does not start on a table of AWS with a local %s',
    (variable) => {
      const error = refusal(() => isLocal({ ...real, [variable]: local[variable] }));
      expect(error.code).toBe('environment.mixed');
      expect(error.message).toContain('and the table at AWS: set AWS_ENDPOINT_URL_DYNAMODB to a local one');
      expect(error.message).toContain(`or unset ${variable}`);
    },
  );

  test('refuses an endpoint that is not a URL, and does not print its password', () => {
    expect(refusal(() => isLocal({ ...local, AWS_ENDPOINT_URL_S3: 'minio' })).message).toContain(
      'AWS_ENDPOINT_URL_S3: expected an http or https URL',
    );
    const withPassword = { ...real, AWS_ENDPOINT_URL_S3: 'http://me:secret@127.0.0.1:9000' };
    expect(refusal(() => isLocal(withPassword)).message).not.toContain('secret');
  });
});

describe('a local endpoint', () => {
  test.each([
    'http://127.0.0.1:8000',
    'http://localhost:8000',
    'http://LOCALHOST:8000',
    'https://localhost./',
    'http://bucket.localhost:4566',
    'http://[::1]:8000',
    'http://[fe80::1]:8000',
    'http://172.17.0.1:8000',
    'http://203.0.113.7:8000',
    'http://host.docker.internal:8000',
    'http://host.containers.internal:8000',
    'http://ministack:4566',
    'http://printer.local',
    'https://localhost.localstack.cloud:4566',
  ])('is %s', (url) => {
    expect(isLocalEndpoint(url)).toBe(true);
  });

  test.each([
    'https://dynamodb.eu-central-1.amazonaws.com',
    'https://sqs.us-east-1.amazonaws.com/1/fan-out',
    'https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com',
    'https://127.0.0.1.example.com',
    'https://s3.example.com',
    'https://dynamodb.corp.internal',
    'app',
    '',
  ])('is not %s', (url) => {
    expect(isLocalEndpoint(url)).toBe(false);
  });
});
