import { expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { allowedValue } from '../../../src/deploy/parameters/stack-parameter.ts';
import { configStack } from '../../../src/deploy/stack-template.ts';

const { Parameters } = configStack(config);

const key = {
  takes: ['arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab'],
  refuses: ['alias/table', 'arn:aws:kms:eu-west-1:123456789012:alias/table'],
};

/** Values that each parameter must take, and must not. */
const values: Readonly<Record<string, { readonly takes: string[]; readonly refuses: string[] }>> = {
  Stage: { takes: ['prod', 'pr-42'], refuses: ['', 'Prod', '1st', 'a'.repeat(17)] },
  ExistingTableName: { takes: ['app', 'my.table-1_x'], refuses: ['ab', 'no/table', 'a'.repeat(256)] },
  ExistingTableStreamArn: {
    takes: [
      'arn:aws:dynamodb:eu-west-1:123456789012:table/app/stream/2026-01-01T00:00:00.000',
      'arn:aws-cn:dynamodb:cn-north-1:123456789012:table/app/stream/2026-01-01T00:00:00.000',
    ],
    refuses: ['arn:aws:dynamodb:eu-west-1:123456789012:table/app', 'app'],
  },
  ...{ TableKmsKeyArn: key, StackKmsKeyArn: key },
  GlobalTableReplica: { takes: ['true'], refuses: ['yes', ''] },
  PropagateEnabled: { takes: ['false'], refuses: ['off', ''] },
  ArchiveEnabled: { takes: ['false'], refuses: ['off', ''] },
  DisabledRules: { takes: ['order-status-keys,archive-orders'], refuses: ['one, two', 'One', ','] },
  Architecture: { takes: ['arm64', 'x86_64'], refuses: ['x86', 'amd64', ''] },
  StatusShards: { takes: ['1', '100'], refuses: ['0', '101', 'many'] },
  PropagateWindowSeconds: { takes: ['0', '300'], refuses: ['-1', '301'] },
  PageLimit: { takes: ['1', '1000'], refuses: ['0', '1001'] },
  FanOutWriteUnits: { takes: ['25', '40000'], refuses: ['24', '40001'] },
  RecheckDelaySeconds: { takes: ['0', '900'], refuses: ['-1', '901'] },
  ArchiveStorageClass: { takes: ['STANDARD', 'DEEP_ARCHIVE'], refuses: ['TAPE', 'glacier'] },
  SweepEnabled: { takes: ['true'], refuses: ['on', ''] },
  SweepSchedule: { takes: ['rate(6 hours)', 'cron(0 3 * * ? *)'], refuses: ['daily', '', 'rate()'] },
  SweepReadUnits: { takes: ['1', '40000'], refuses: ['0', '40001'] },
  SweepAfterDays: { takes: ['1', '36500'], refuses: ['0', '36501'] },
  VerifyEnabled: { takes: ['true'], refuses: ['on', ''] },
  VerifySchedule: { takes: ['rate(6 hours)', 'cron(0 3 * * ? *)'], refuses: ['daily', '', 'rate()'] },
  VerifySamplePercent: { takes: ['0.01', '0.5', '100'], refuses: ['0', '101', '1%'] },
  VerifyReadUnits: { takes: ['1', '40000'], refuses: ['0', '40001'] },
  HeartbeatEnabled: { takes: ['false'], refuses: ['off', ''] },
  HeartbeatDelaySeconds: { takes: ['0', '900'], refuses: ['-1', '901'] },
  LogLevel: { takes: ['DEBUG', 'ERROR'], refuses: ['TRACE', 'info'] },
  LogRetentionDays: { takes: ['1', '1827'], refuses: ['2', '0'] },
  AlarmTopicArn: { takes: ['arn:aws:sns:us-east-1:123456789012:alarms'], refuses: ['alarms@example.com'] },
};

test.each(Object.entries(Parameters))(
  'the parameter %s accepts its default and valid values, and refuses values out of range',
  (name, parameter) => {
    const tried = values[name] ?? expect.fail('give values that it takes and refuses');
    for (const value of [undefined, ...tried.takes])
      expect(() => allowedValue(name, parameter, value), value).not.toThrow();
    for (const value of tried.refuses) expect(() => allowedValue(name, parameter, value), value).toThrow();
    expect(parameter.Description?.length).toBeGreaterThan(10);
  },
);

test('every tested parameter is in the template', () => {
  expect(Object.keys(values).sort()).toEqual(Object.keys(Parameters).sort());
});
