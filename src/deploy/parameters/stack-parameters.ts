import type * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';
import type { Config } from '../../model/rules/config.ts';
import { environmentName } from '../../model/rules/parameters.ts';
import { type SettingName, settings, stackSources } from '../../model/work/settings.ts';
import type { Properties } from '../cloudformation.ts';
import type { Usage } from '../needs/usage.ts';
import { type StackParameter, stackParameter } from './stack-parameter.ts';

type Limits = Pick<StackParameter, 'AllowedPattern' | 'ConstraintDescription'>;

const text = (Default: string, Description: string, limits: Limits = {}): StackParameter => ({
  Type: 'String',
  Default,
  ...limits,
  Description,
});
const choice = (Default: string, AllowedValues: readonly string[], Description: string): StackParameter => ({
  Type: 'String',
  Default,
  AllowedValues,
  Description,
});
const flag = (isOn: boolean, Description: string) => choice(String(isOn), ['true', 'false'], Description);
const number = (
  Default: number,
  [MinValue, MaxValue]: readonly [number, number],
  Description: string,
): StackParameter => ({ Type: 'Number', Default, MinValue, MaxValue, Description });

const arn = (pattern: string, ConstraintDescription: string): Limits => ({
  AllowedPattern: `^$|^arn:[a-z0-9-]+:${pattern}$`,
  ConstraintDescription,
});
const keyArn = arn('kms:[a-z0-9-]+:[0-9]{12}:key/.+', 'the ARN of a KMS key, not of an alias');
const schedule: Limits = {
  AllowedPattern: '^(rate|cron)\\(.+\\)$',
  ConstraintDescription: 'an EventBridge rate or cron expression, such as rate(6 hours)',
};

/** Settings whose parameter follows from the table alone. */
type Chosen = {
  [Name in SettingName]: (typeof settings)[Name]['type'] extends
    | 'number'
    | 'whole number'
    | 'choice'
    | 'switch'
    ? Name
    : never;
}[SettingName];

function ofSettings(...names: readonly Chosen[]): Readonly<Record<string, StackParameter>> {
  return Object.fromEntries(names.map((name) => [stackSources[name].parameter, ofSetting(name)]));
}

function ofSetting(name: Chosen): StackParameter {
  const setting = settings[name];
  const { sentence } = stackSources[name];
  switch (setting.type) {
    case 'number':
    case 'whole number':
      return number(setting.default, setting.range, sentence);
    case 'choice':
      return choice(setting.default, setting.choices, sentence);
    case 'switch':
      return flag(setting.default, sentence);
  }
}

/** As the console groups them. A parameter whose name begins with that of a function belongs to it. */
const groupsWith = (
  disabled: readonly string[],
): Readonly<Record<string, Readonly<Record<string, StackParameter>>>> => ({
  Where: {
    Stage: text('dev', 'Purpose of this stack, such as dev or prod; appears in tags and alarms', {
      AllowedPattern: '^[a-z][a-z0-9-]{0,15}$',
      ConstraintDescription: '1 to 16 lower-case letters, digits and hyphens, beginning with a letter',
    }),
    ExistingTableName: text('', 'Name of an existing table to use; empty to create a table', {
      AllowedPattern: '^$|^[a-zA-Z0-9_.-]{3,255}$',
      ConstraintDescription:
        'the name of a table: 3 to 255 letters, digits, hyphens, underscores and periods',
    }),
    ExistingTableStreamArn: text(
      '',
      "ARN of that table's stream, with new and old images; set together with ExistingTableName",
      arn(
        'dynamodb:[a-z0-9-]+:[0-9]{12}:table/[a-zA-Z0-9_.-]{3,255}/stream/.+',
        'the ARN of a stream, ending in /stream/ and its label',
      ),
    ),
    TableKmsKeyArn: text(
      '',
      'ARN of the KMS key of the table; empty for that of DynamoDB, which is free',
      keyArn,
    ),
    StackKmsKeyArn: text(
      '',
      'ARN of the KMS key of buckets, queues and log groups, such as that of the table; empty for those of AWS, which are free',
      keyArn,
    ),
    ...ofSettings('globalTableReplica'),
  },
  'What runs': {
    ...ofSettings('propagateEnabled', 'archiveEnabled'),
    SweepEnabled: flag(
      false,
      'Whether a schedule archives finished items and then sets their expiry. Off by default, so that no item expires unasked. Requires ArchiveEnabled',
    ),
    VerifyEnabled: flag(
      false,
      'Whether a schedule compares a random share of the copies with their roots; writes nothing',
    ),
    HeartbeatEnabled: flag(
      true,
      'Whether a beat goes the way of a change every five minutes, with an alarm if it does not arrive',
    ),
    DisabledRules: text(disabled.join(','), stackSources.disabledRules.sentence, {
      AllowedPattern: '^$|^[a-z0-9-]+(,[a-z0-9-]+)*$',
      ConstraintDescription: 'rule names, separated by commas, without spaces',
    }),
  },
  'How it works': {
    Architecture: choice(
      'arm64',
      ['arm64', 'x86_64'],
      'Processor of the functions; x86_64 lets `sam local invoke` run them on an x86 machine without QEMU',
    ),
    PropagateWindowSeconds: number(
      1,
      [0, 300],
      'Seconds for which Lambda gathers changes; 0 propagates sooner, by more invocations',
    ),
    ...ofSettings('pageLimit', 'fanOutWriteUnits', 'recheckDelaySeconds', 'archiveStorageClass'),
    ArchiveErase: flag(
      false,
      "Whether rules with onDelete 'erase' may erase archived versions for good when an item is deleted",
    ),
    SweepSchedule: text(
      'rate(1 day)',
      'When a sweep starts, or continues one that ran out of its 15 minutes',
      schedule,
    ),
    ...ofSettings('sweepReadUnits'),
    VerifySchedule: text('rate(1 day)', 'When a scheduled verify starts', schedule),
    ...ofSettings('verifySamplePercent', 'verifyReadUnits', 'heartbeatDelaySeconds'),
  },
  'How it is watched': {
    LogLevel: choice('INFO', ['DEBUG', 'INFO', 'WARN', 'ERROR'], 'Lowest severity of log lines to keep'),
    LogRetentionDays: {
      Type: 'Number',
      Default: 30,
      AllowedValues: [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827],
      Description: 'Days after which log lines are deleted',
    },
    AlarmTopicArn: text(
      '',
      'ARN of an SNS topic that receives alarms; empty for none',
      arn('sns:[a-z0-9-]+:[0-9]{12}:.+', 'the ARN of an SNS topic'),
    ),
  },
});

export interface ParameterSections {
  readonly parameters: Readonly<Record<string, StackParameter>>;
  readonly groups: readonly Properties[];
}

export function stackParameters(
  { archives, sweeps, beats, archive }: Usage,
  application: Readonly<Record<string, z.core.$ZodType>>,
  disabled: readonly string[],
): ParameterSections {
  const isUsed = (name: string) =>
    (sweeps || !name.startsWith('Sweep')) &&
    (archives || !name.startsWith('Archive')) &&
    (beats || !name.startsWith('Heartbeat')) &&
    (archive.erases || name !== 'ArchiveErase');
  const own = Object.entries(groupsWith(disabled)).map(
    ([label, all]) => [label, Object.entries(all).filter(([name]) => isUsed(name))] as const,
  );
  const others = Object.entries(application).map(
    ([name, schema]) => [name, stackParameter(name, schema)] as const,
  );
  return {
    parameters: Object.fromEntries([...own.flatMap(([, members]) => members), ...others]),
    groups: [...(others.length > 0 ? [['The application', others] as const] : []), ...own].map(
      ([label, members]) => ({ Label: { default: label }, Parameters: members.map(([name]) => name) }),
    ),
  };
}

/** Variables that Lambda sets, or that its runtime reads. Source: Lambda Developer Guide, "Using Lambda environment variables". */
const reserved = /^(AWS_.*|LAMBDA_.*|NODE_.*|POWERTOOLS_.*|TZ|PATH|LANG|LD_LIBRARY_PATH)$/;

/**
 * Refuses parameters of the application that would take the place of one that the stack has, or would have with other rules,
 * or whose variable has another use.
 * @param variables names of the functions' own variables
 * @throws DenormError `config.parameter`
 */
export function refuseTakenNames({ parameters }: Config, variables: readonly string[]): void {
  const taken = new Set(Object.values(groupsWith([])).flatMap((members) => Object.keys(members)));
  const used = new Set(variables);
  for (const name of Object.keys(parameters)) {
    const variable = environmentName(name);
    if (taken.has(name))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter that the stack does not have itself, got '${name}': choose another`,
      );
    if (used.has(variable) || reserved.test(variable))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter whose variable is free, but functions would get '${name}' as ${variable}, which has another use: choose another`,
      );
    used.add(variable);
  }
}
