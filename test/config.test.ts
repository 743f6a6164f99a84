import { describe, expect, test } from 'vitest';
import { archiveConfig, launcherPid, propagationConfig, sweepConfig, verifyConfig } from '../src/config.ts';
import { refusal } from './suites/refusal.ts';

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
  test('have defaults, except the names of resources', () => {
    expect(propagationConfig(propagations)).toEqual({
      ...propagations,
      DISABLED_RULES: [],
      GLOBAL_TABLE_REPLICA: false,
      STATUS_SHARDS: 1,
      PAGE_LIMIT: 500,
      RECHECK_DELAY_SECONDS: 60,
      local: false,
    });
  });

  test('are read from text', () => {
    expect(
      propagationConfig({
        ...propagations,
        DISABLED_RULES: ' one, two,,',
        GLOBAL_TABLE_REPLICA: 'true',
        STATUS_SHARDS: '100',
        PAGE_LIMIT: '1000',
        RECHECK_DELAY_SECONDS: '0',
      }),
    ).toMatchObject({
      DISABLED_RULES: ['one', 'two'],
      GLOBAL_TABLE_REPLICA: true,
      STATUS_SHARDS: 100,
      PAGE_LIMIT: 1000,
      RECHECK_DELAY_SECONDS: 0,
    });
  });

  test('cannot be changed afterwards, and hold nothing else of the environment', () => {
    const config = propagationConfig({ ...propagations, AWS_SECRET_ACCESS_KEY: 'secret' });

    expect(Object.isFrozen(config)).toBe(true);
    expect(JSON.stringify(config)).not.toContain('secret');
  });

  test('report everything that is missing or wrong at once', () => {
    const error = refusal(() =>
      propagationConfig({
        FAN_OUT_QUEUE_URL: 'queue',
        STATUS_SHARDS: '0',
        PAGE_LIMIT: 'many',
        RECHECK_DELAY_SECONDS: '901',
      }),
    );

    expect(error.code).toBe('config.invalid');
    expect(error.message).toMatch(/^Expected the function's environment to be complete, found 6 wrong: /);
    expect(error.message).toContain('TABLE_NAME: missing');
    expect(error.message).toContain('DEAD_LETTER_QUEUE_URL: missing');
    for (const name of ['FAN_OUT_QUEUE_URL', 'STATUS_SHARDS', 'PAGE_LIMIT', 'RECHECK_DELAY_SECONDS'])
      expect(error.message).toMatch(new RegExp(`${name}: (?!missing)`));
  });

  test.each([
    ['STATUS_SHARDS', '101'],
    ['STATUS_SHARDS', '1.5'],
    ['STATUS_SHARDS', '-1'],
    ['STATUS_SHARDS', ''],
    ['PAGE_LIMIT', '0'],
    ['PAGE_LIMIT', '1001'],
    ['GLOBAL_TABLE_REPLICA', 'yes'],
    ['TABLE_NAME', 'ab'],
    ['FAN_OUT_QUEUE_URL', ''],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => propagationConfig({ ...propagations, [name]: text })).message).toContain(
      `${name}: `,
    );
  });
});

describe('the settings of archiving', () => {
  test('have defaults, except the names of resources', () => {
    expect(archiveConfig(archiving)).toEqual({
      ...archiving,
      DISABLED_RULES: [],
      GLOBAL_TABLE_REPLICA: false,
      ARCHIVE_STORAGE_CLASS: 'GLACIER',
      local: false,
    });
  });

  test('accept only storage classes of S3', () => {
    expect(archiveConfig({ ...archiving, ARCHIVE_STORAGE_CLASS: 'DEEP_ARCHIVE' }).ARCHIVE_STORAGE_CLASS).toBe(
      'DEEP_ARCHIVE',
    );
    expect(refusal(() => archiveConfig({ ...archiving, ARCHIVE_STORAGE_CLASS: 'ICE' })).message).toContain(
      'ARCHIVE_STORAGE_CLASS: ',
    );
  });

  test('require a bucket', () => {
    expect(refusal(() => archiveConfig(propagations)).message).toBe(
      "Expected the function's environment to be complete, found 1 wrong: ARCHIVE_BUCKET: missing",
    );
  });
});

describe('the settings of a sweep', () => {
  test('have defaults, except the names of resources', () => {
    expect(sweepConfig(archiving)).toEqual({
      ...archiveConfig(archiving),
      STATUS_SHARDS: 1,
      SWEEP_READ_UNITS: 50,
      SWEEP_AFTER_DAYS: 90,
    });
  });

  test.each([
    ['SWEEP_READ_UNITS', '0'],
    ['SWEEP_READ_UNITS', '40001'],
    ['SWEEP_AFTER_DAYS', '0'],
    ['SWEEP_AFTER_DAYS', '1.5'],
    ['STATUS_SHARDS', '0'],
    ['ARCHIVE_BUCKET', ''],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => sweepConfig({ ...archiving, [name]: text })).message).toContain(`${name}: `);
  });
});

describe('the settings of a scheduled verify', () => {
  test('have defaults, except the name of the table', () => {
    expect(verifyConfig({ TABLE_NAME: 'app' })).toEqual({
      ...{ TABLE_NAME: 'app', DISABLED_RULES: [], STATUS_SHARDS: 1 },
      ...{ VERIFY_SAMPLE_PERCENT: 1, VERIFY_READ_UNITS: 50, local: false },
    });
  });

  test('accept a fraction of a percent', () => {
    const config = verifyConfig({ TABLE_NAME: 'app', VERIFY_SAMPLE_PERCENT: '0.05' });

    expect(config.VERIFY_SAMPLE_PERCENT).toBe(0.05);
  });

  test.each([
    ['TABLE_NAME', ''],
    ['VERIFY_SAMPLE_PERCENT', '0'],
    ['VERIFY_SAMPLE_PERCENT', '101'],
    ['VERIFY_SAMPLE_PERCENT', '1%'],
    ['VERIFY_READ_UNITS', '0'],
    ['STATUS_SHARDS', '101'],
  ])('refuse %s = %j', (name, text) => {
    expect(refusal(() => verifyConfig({ TABLE_NAME: 'app', [name]: text })).message).toContain(`${name}: `);
  });
});

const ofAws = 'https://sqs.eu-central-1.amazonaws.com/1/queue';
const inMemory = 'http://host.docker.internal:4566';
const localQueue = `${inMemory}/000000000000/queue`;

/** Each function's reader of the environment, with what it must be given, and what it talks to beside the table. */
const functions = [
  ['Propagate', propagationConfig, ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['FanOut', propagationConfig, ['FAN_OUT_QUEUE_URL', 'DEAD_LETTER_QUEUE_URL']],
  ['Archive', archiveConfig, ['AWS_ENDPOINT_URL_S3', 'DEAD_LETTER_QUEUE_URL']],
  ['Sweep', sweepConfig, ['AWS_ENDPOINT_URL_S3', 'DEAD_LETTER_QUEUE_URL']],
  ['Verify', verifyConfig, []],
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
    expect(error.code).toBe('config.mixed');
    expect(error.message).toMatch(
      /^Expected table, bucket and queues to be all local or all of AWS, found the table at 172\.17\.0\.1:8000 and the /,
    );
    expect(error.message).toContain(`: set ${name} to a local one (`);
  });

  test.each(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL_SQS', ...others] as const)(
    'does not start on a table of AWS with a local %s',
    (name) => {
      const error = refusal(() => config({ ...real, [name]: local[name] }));
      expect(error.code).toBe('config.mixed');
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
