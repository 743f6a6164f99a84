import { defaultStorageClass, storageClasses } from '../rules/archive-rule.ts';
import { environmentName } from '../rules/parameters.ts';

/** The functions of a stack, by their logical ids. */
export const functionNames = ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify', 'Heartbeat'] as const;
export type FunctionName = (typeof functionNames)[number];

/** Those that read the table's stream. */
export const streamFunctions = ['Propagate', 'Archive'] as const satisfies readonly FunctionName[];
export type StreamFunction = (typeof streamFunctions)[number];

/** The name of a function's entry point, of its log and of its metrics: `fan-out` for FanOut. */
export const serviceOf = (name: FunctionName) => name.replace(/\B[A-Z]/g, '-$&').toLowerCase();

export type Setting = (
  | {
      readonly type: 'number' | 'whole number';
      readonly range: readonly [least: number, most: number];
      readonly default: number;
    }
  | { readonly type: 'choice'; readonly choices: readonly string[]; readonly default: string }
  | { readonly type: 'switch'; readonly default: boolean }
  /** Separated by commas; `none` is an empty list too, because SAM CLI refuses an empty value. Undefined: as in the config. */
  | { readonly type: 'names'; readonly default: undefined }
  | { readonly type: 'text'; readonly minLength: number }
  | { readonly type: 'URL' }
) & { readonly usedBy: readonly FunctionName[] };

/** The default quota of an on-demand table, in read or write units a second. */
const maxUnits = 40_000;
const propagating = ['Propagate', 'FanOut'] as const;
const storing = ['Archive', 'Sweep'] as const;

/** What a function reads of its environment, beside endpoints and the application's own parameters: `pageLimit` is in `PAGE_LIMIT`. */
export const settings = {
  tableName: { type: 'text', minLength: 3, usedBy: functionNames },
  disabledRules: { type: 'names', default: undefined, usedBy: functionNames },
  deadLetterQueueUrl: { type: 'URL', usedBy: [...propagating, 'Archive'] },
  fanOutQueueUrl: { type: 'URL', usedBy: [...propagating, 'Verify'] },
  archiveBucket: { type: 'text', minLength: 3, usedBy: storing },
  archiveStorageClass: {
    type: 'choice',
    choices: storageClasses,
    default: defaultStorageClass,
    usedBy: storing,
  },
  pageLimit: { type: 'whole number', range: [1, 1000], default: 500, usedBy: propagating },
  // A partition takes 1,000, and its applications need some. Source: AWS, "Designing partition keys".
  fanOutWriteUnits: { type: 'whole number', range: [25, maxUnits], default: 800, usedBy: propagating },
  recheckDelaySeconds: { type: 'whole number', range: [0, 900], default: 60, usedBy: propagating },
  globalTableReplica: { type: 'switch', default: false, usedBy: ['Propagate', 'Archive'] },
  sweepReadUnits: { type: 'whole number', range: [1, maxUnits], default: 50, usedBy: ['Sweep'] },
  verifySamplePercent: { type: 'number', range: [0.01, 100], default: 1, usedBy: ['Verify'] },
  verifyReadUnits: { type: 'whole number', range: [1, maxUnits], default: 50, usedBy: ['Verify'] },
  propagateEnabled: { type: 'switch', default: true, usedBy: ['Heartbeat'] },
  archiveEnabled: { type: 'switch', default: true, usedBy: ['Heartbeat'] },
  // Longer than the five minutes between two beats, so that one always lies in the queue. SQS allows 900.
  heartbeatDelaySeconds: { type: 'whole number', range: [0, 900], default: 360, usedBy: ['Heartbeat'] },
} as const satisfies Readonly<Record<string, Setting>>;

/** Where a stack has each setting from. Apart from the rows above, so that no function carries these words. */
export const stackSources = {
  tableName: { resource: 'Table' },
  disabledRules: {
    parameter: 'DisabledRules',
    sentence:
      'Names of rules that are switched off, separated by commas, or none. Their changes are lost meanwhile',
  },
  deadLetterQueueUrl: { resource: 'DeadLetterQueue' },
  fanOutQueueUrl: { resource: 'FanOutQueue' },
  archiveBucket: { resource: 'ArchiveBucket' },
  archiveStorageClass: { parameter: 'ArchiveStorageClass', sentence: 'Storage class of archived items' },
  pageLimit: {
    parameter: 'PageLimit',
    sentence: 'Number of copies that one propagation visits before it queues the rest',
  },
  fanOutWriteUnits: {
    parameter: 'FanOutWriteUnits',
    sentence:
      "Ceiling of the writes of one root's fan-out, in write units a second; a partition takes 1,000, applications included",
  },
  recheckDelaySeconds: {
    parameter: 'RecheckDelaySeconds',
    sentence:
      'Seconds before a second look at copies that an index found, or that were cleared; SQS allows 900',
  },
  globalTableReplica: {
    parameter: 'GlobalTableReplica',
    sentence:
      'Whether the table is a replica of a global table. Its stream does not mark expiry, so a removed item whose expiry time has passed counts as expired',
  },
  sweepReadUnits: {
    parameter: 'SweepReadUnits',
    sentence: 'Read units a second that a sweep may use',
  },
  verifySamplePercent: {
    parameter: 'VerifySamplePercent',
    sentence: 'Share of the table, in percent, that each run reads; another share each time',
  },
  verifyReadUnits: {
    parameter: 'VerifyReadUnits',
    sentence: 'Read units a second that a run may use; it stops after 15 minutes',
  },
  propagateEnabled: {
    parameter: 'PropagateEnabled',
    sentence: 'Whether changes are propagated; switch it off if the stream has no room for another reader',
  },
  archiveEnabled: {
    parameter: 'ArchiveEnabled',
    sentence: 'Whether items are archived before they expire; adds a reader to the stream',
  },
  heartbeatDelaySeconds: {
    parameter: 'HeartbeatDelaySeconds',
    sentence:
      'Seconds that a beat waits in the fan-out queue; more than 300, so that a purge takes one along',
  },
} as const satisfies Readonly<
  Record<
    SettingName,
    { readonly parameter: string; readonly sentence: string } | { readonly resource: string }
  >
>;

type Rows = typeof settings;
export type SettingName = keyof Rows;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : Row extends { readonly type: 'number' | 'whole number' }
    ? number
    : Row extends { readonly type: 'switch' }
      ? boolean
      : Row extends { readonly type: 'names' }
        ? readonly string[] | undefined
        : string;

/** The settings of a function by their names in the table, with values. */
export type SettingsOf<Name extends FunctionName> = {
  readonly [Key in SettingName as Name extends Rows[Key]['usedBy'][number] ? Key : never]: ValueOf<Rows[Key]>;
};

/** The variables of a process or of a deployed function. */
export type Environment = Readonly<Record<string, string | undefined>>;

type Read<Value> = { readonly value: Value } | { readonly wrong: string };

/** The value in an environment, or the default. What is wrong does not quote names and URLs. */
export function readSetting<Name extends SettingName>(
  name: Name,
  environment: Environment,
): Read<ValueOf<Rows[Name]>> {
  const setting: Setting = settings[name];
  const text = environment[environmentName(name)];
  const missing = 'default' in setting ? { value: setting.default } : { wrong: 'missing' };
  // The compiler cannot tell that the value is of the type that the row names.
  return (text === undefined ? missing : readText(setting, text)) as Read<ValueOf<Rows[Name]>>;
}

type WithDefault = {
  [Name in SettingName]: Rows[Name] extends { readonly default: unknown } ? Name : never;
}[SettingName];

/** The default also where the value is wrong: no function runs with such a value. */
export function readOrDefault<Name extends WithDefault>(
  name: Name,
  environment: Environment,
): ValueOf<Rows[Name]> {
  const read = readSetting(name, environment);
  return 'value' in read ? read.value : (settings[name].default as ValueOf<Rows[Name]>);
}

function readText(setting: Setting, text: string): Read<unknown> {
  const wrong = (expected: string, got = `'${text}'`) => ({ wrong: `expected ${expected}, got ${got}` });
  switch (setting.type) {
    case 'number':
    case 'whole number': {
      const [least, most] = setting.range;
      const isNumber = (setting.type === 'number' ? /^\d+(\.\d+)?$/ : /^\d+$/).test(text);
      const value = Number(text);
      return isNumber && value >= least && value <= most
        ? { value }
        : wrong(`a ${setting.type} from ${least} to ${most}`);
    }
    case 'choice':
      return setting.choices.includes(text) ? { value: text } : wrong(`one of ${setting.choices.join(', ')}`);
    case 'switch':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : wrong('true or false');
    case 'names': {
      const names = text.split(',').map((name) => name.trim());
      return { value: names.filter((name) => name !== '' && name !== 'none') };
    }
    case 'text':
      return text.length >= setting.minLength
        ? { value: text }
        : wrong(`${setting.minLength} characters or more`, `${text.length}`);
    case 'URL':
      return URL.canParse(text) ? { value: text } : wrong('a URL', 'another text');
  }
}
