import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import {
  archiveEnvironment,
  configFileNamed,
  deployedRules,
  deployedSettings,
  fanOutEnvironment,
  launcherPid,
  namedConnection,
  namesCredentials,
  propagationEnvironment,
  sweepEnvironment,
  verifyEnvironment,
} from '../../src/worker/environment.ts';
import { refusal } from '../suites/refusal.ts';

const propagations = {
  TABLE_NAME: 'app',
  FAN_OUT_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/fan-out',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/dead',
};
const archiving = {
  TABLE_NAME: 'app',
  DEAD_LETTER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/dead',
  ARCHIVE_BUCKET: 'bucket',
};

describe('the settings of propagations', () => {
  test('are read from text', () => {
    expect(
      propagationEnvironment({
        ...propagations,
        GLOBAL_TABLE_REPLICA: 'true',
        PAGE_LIMIT: '1000',
        RECHECK_DELAY_SECONDS: '0',
        FAN_OUT_WRITE_UNITS: '40000',
      }),
    ).toMatchObject({
      GLOBAL_TABLE_REPLICA: true,
      PAGE_LIMIT: 1000,
      RECHECK_DELAY_SECONDS: 0,
      FAN_OUT_WRITE_UNITS: 40_000,
    });
  });

  test('cannot be changed afterwards, and hold nothing else of the environment', () => {
    const config = propagationEnvironment({ ...propagations, AWS_SECRET_ACCESS_KEY: 'secret' });

    expect(Object.isFrozen(config)).toBe(true);
    expect(JSON.stringify(config)).not.toContain('secret');
  });

  test('report everything that is missing or wrong at once', () => {
    const error = refusal(() =>
      propagationEnvironment({
        FAN_OUT_QUEUE_URL: 'queue',
        PAGE_LIMIT: 'many',
        RECHECK_DELAY_SECONDS: '901',
      }),
    );

    expect(error.code).toBe('environment.invalid');
    expect(error.message).toMatch(/^Expected the function's environment to be complete, found 5 wrong: /);
    expect(error.message).toContain('TABLE_NAME: missing');
    expect(error.message).toContain('DEAD_LETTER_QUEUE_URL: missing');
    for (const name of ['FAN_OUT_QUEUE_URL', 'PAGE_LIMIT', 'RECHECK_DELAY_SECONDS'])
      expect(error.message).toMatch(new RegExp(`${name}: (?!missing)`));
  });

  test.each([
    ['FAN_OUT_WRITE_UNITS', '24'],
    ['FAN_OUT_WRITE_UNITS', '40001'],
    ['PAGE_LIMIT', '0'],
    ['PAGE_LIMIT', '1001'],
    ['GLOBAL_TABLE_REPLICA', 'yes'],
    ['TABLE_NAME', 'ab'],
    ['FAN_OUT_QUEUE_URL', ''],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => propagationEnvironment({ ...propagations, [name]: text })).message).toContain(
      `${name}: `,
    );
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
    expect(deployedSettings(config, { DISABLED_RULES: '' })).toEqual({ parameters: {}, disabled: [] });
    expect(deployedSettings(config, {})).toEqual({ parameters: {} });
  });

  test('get the parameters of the environment', () => {
    const [aging] = deployedRules(config, { SWEEP_AFTER_DAYS: '7' }).archives;

    expect(aging?.ages?.days).toBe(7);
    expect(() => deployed({ STATUS_SHARDS: '0' })).toThrow(/the parameter StatusShards/);
  });
});

describe('the settings of archiving', () => {
  test('accept only storage classes of S3', () => {
    expect(
      archiveEnvironment({ ...archiving, ARCHIVE_STORAGE_CLASS: 'DEEP_ARCHIVE' }).ARCHIVE_STORAGE_CLASS,
    ).toBe('DEEP_ARCHIVE');
    expect(
      refusal(() => archiveEnvironment({ ...archiving, ARCHIVE_STORAGE_CLASS: 'ICE' })).message,
    ).toContain('ARCHIVE_STORAGE_CLASS: ');
  });

  test('require a bucket', () => {
    expect(refusal(() => archiveEnvironment(propagations)).message).toBe(
      "Expected the function's environment to be complete, found 1 wrong: ARCHIVE_BUCKET: missing",
    );
  });
});

describe('the settings of a sweep', () => {
  test.each([
    ['SWEEP_READ_UNITS', '0'],
    ['SWEEP_READ_UNITS', '40001'],
    ['ARCHIVE_BUCKET', ''],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => sweepEnvironment({ ...archiving, [name]: text })).message).toContain(`${name}: `);
  });
});

describe('the settings of a scheduled verify', () => {
  test('accept a fraction of a percent', () => {
    const config = verifyEnvironment({ TABLE_NAME: 'app', VERIFY_SAMPLE_PERCENT: '0.05' });

    expect(config.VERIFY_SAMPLE_PERCENT).toBe(0.05);
  });

  test.each([
    ['TABLE_NAME', ''],
    ['VERIFY_SAMPLE_PERCENT', '0'],
    ['VERIFY_SAMPLE_PERCENT', '101'],
    ['VERIFY_SAMPLE_PERCENT', '1%'],
    ['VERIFY_READ_UNITS', '0'],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => verifyEnvironment({ TABLE_NAME: 'app', [name]: text })).message).toContain(
      `${name}: `,
    );
  });
});

const ofAws = 'https://sqs.eu-central-1.amazonaws.com/1/queue';
const inMemory = 'http://host.docker.internal:4566';
const localQueue = `${inMemory}/000000000000/queue`;

/** Each function's reader of the environment, with what it must be given, and what it talks to beside the table. */
const functions = [
  ['Propagate', propagationEnvironment, ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['FanOut', fanOutEnvironment, ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['Archive', archiveEnvironment, ['AWS_ENDPOINT_URL_S3', 'DEAD_LETTER_QUEUE_URL']],
  ['Sweep', sweepEnvironment, ['AWS_ENDPOINT_URL_S3']],
  ['Verify', verifyEnvironment, []],
] as const;

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

describe.each(functions)('%s', (_, config, others) => {
  test('reports a local environment if everything is local', () => {
    expect(config(local).local).toBe(true);
    expect(
      config({
        ...real,
        FAN_OUT_QUEUE_URL: localQueue,
        DEAD_LETTER_QUEUE_URL: localQueue,
        AWS_ENDPOINT_URL: inMemory,
      }).local,
    ).toBe(true);
  });

  test('reports AWS if endpoints are empty, missing, or ignored by the SDK', () => {
    const { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL_SQS, ...missing } = real;
    expect(config(real).local).toBe(false);
    expect(config(missing).local).toBe(false);
    expect(
      config({ ...real, AWS_ENDPOINT_URL: inMemory, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }).local,
    ).toBe(false);
  });

  test('treats endpoints on other machines like those of AWS', () => {
    const bucket = { AWS_ENDPOINT_URL_S3: 'https://s3.example.com' };
    expect(config({ ...real, ...bucket }).local).toBe(false);
    expect(() => config({ ...local, ...bucket })).toThrow('at s3.example.com: set AWS_ENDPOINT_URL_S3');
  });

  test.each(others.map((name) => [name]))('does not start on a local table with %s of AWS', (name) => {
    const error = refusal(() => config({ ...local, [name]: real[name] }));
    expect(error.code).toBe('environment.mixed');
    expect(error.message).toMatch(
      /^Expected table, bucket and queues to be all local or all of AWS, found the table at 172\.17\.0\.1:8000 and the /,
    );
    expect(error.message).toContain(`: set ${name} to a local one (`);
  });

  test.each(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_SQS', ...others] as const)(
    'does not start on a table of AWS with a local %s',
    (name) => {
      const error = refusal(() => config({ ...real, [name]: local[name] }));
      expect(error.code).toBe('environment.mixed');
      expect(error.message).toContain('and the table at AWS: set AWS_ENDPOINT_URL_DYNAMODB to a local one');
      expect(error.message).toContain(`or unset ${name}`);
    },
  );

  test('refuses an endpoint that is not a URL, and does not print its password', () => {
    expect(refusal(() => config({ ...local, AWS_ENDPOINT_URL_S3: 'minio' })).message).toContain(
      'AWS_ENDPOINT_URL_S3: an http or https URL',
    );
    const withPassword = { ...real, AWS_ENDPOINT_URL_S3: 'http://me:secret@127.0.0.1:9000' };
    expect(refusal(() => config(withPassword)).message).not.toContain('secret');
  });
});

describe('what commands take from the environment', () => {
  const endpoint = { AWS_ENDPOINT_URL: inMemory };
  test.each<[(environment: NodeJS.ProcessEnv) => unknown, NodeJS.ProcessEnv, unknown]>([
    [
      namedConnection,
      { ...endpoint, AWS_REGION: 'a', AWS_DEFAULT_REGION: 'b' },
      { endpoint: inMemory, region: 'a' },
    ],
    [namedConnection, { AWS_ENDPOINT_URL: '', AWS_DEFAULT_REGION: 'b' }, { region: 'b' }],
    [namedConnection, { ...endpoint, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }, {}],
    [namesCredentials, { AWS_ACCESS_KEY_ID: 'a' }, true],
    [namesCredentials, { AWS_PROFILE: 'a' }, true],
    [namesCredentials, { AWS_WEB_IDENTITY_TOKEN_FILE: 'a' }, true],
    [namesCredentials, { AWS_PROFILE: '' }, false],
    [configFileNamed, { DENORM_CONFIG: 'a' }, 'a'],
    [configFileNamed, { DENORM_CONFIG: '' }, undefined],
  ])('%o(%j) is %j', (read, environment, result) => {
    expect(read(environment)).toEqual(result);
  });
});

describe('the process of the launcher', () => {
  test.each([
    ['123', 123],
    ['1', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['x', undefined],
    ['1.5', undefined],
    [undefined, undefined],
  ])('given as %s is %s', (text, pid) => {
    expect(launcherPid({ ...(text !== undefined && { DENORM_PARENT_PID: text }) })).toBe(pid);
  });
});
