import { environmentName } from '../model/parameters.ts';
import type { Registry } from '../model/registry.ts';
import { arnOf, comments, type Properties, type Resource, ref, sub, when } from './cloudformation.ts';
import { queueEvent, scheduled, streamEvent } from './event-sources.ts';
import { tableName } from './table.ts';
import type { Usage } from './usage.ts';

export const functionNames = ['Propagate', 'Archive', 'FanOut', 'Sweep', 'Verify'] as const;
export type FunctionName = (typeof functionNames)[number];

export function functionsOf({ archives, sweeps }: Usage): readonly FunctionName[] {
  return functionNames.filter((name) => (archives || name !== 'Archive') && (sweeps || name !== 'Sweep'));
}

/** Functions that use S3, whose client does not start without the code for events in a stream. */
const archiving: readonly FunctionName[] = ['Archive', 'Sweep'];

/** The name of a function's entry point, of its log and of its metrics: `fan-out` for FanOut. */
export const serviceOf = (name: FunctionName) => name.replace(/\B[A-Z]/g, '-$&').toLowerCase();

export function functionGlobals(application: readonly string[]): Properties {
  return {
    Runtime: 'nodejs24.x',
    Architectures: [ref('Architecture')],
    CodeUri: 'handlers',
    Tags: { stage: ref('Stage') },
    LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: ref('LogLevel'), SystemLogLevel: 'WARN' },
    Environment: {
      Variables: {
        ...sharedVariables,
        ...Object.fromEntries(application.map((name) => [environmentName(name), ref(name)])),
      },
    },
    [comments]: {
      CodeUri:
        'No package.json beside the entry points: `sam build` then bundles in place what `npm ci` has installed, instead of\ncopying the project and installing it again for each function.',
    },
  };
}

const sharedVariables: Properties = {
  AWS_ENDPOINT_URL_DYNAMODB: '',
  AWS_ENDPOINT_URL_S3: '',
  AWS_ENDPOINT_URL_SQS: '',
  TABLE_NAME: tableName,
  DISABLED_RULES: ref('DisabledRules'),
  POWERTOOLS_LOG_LEVEL: ref('LogLevel'),
  POWERTOOLS_METRICS_NAMESPACE: sub(`denorm/\${AWS::StackName}`),
  [comments]: {
    AWS_ENDPOINT_URL_DYNAMODB:
      "Empty means AWS's own endpoint: the SDK ignores an empty one. They are declared because `sam local invoke` passes only\nvariables that the template declares.",
  },
};

const deadLetters = { DEAD_LETTER_QUEUE_URL: ref('DeadLetterQueue') };
const replica = { GLOBAL_TABLE_REPLICA: ref('GlobalTableReplica') };
const storing = { ARCHIVE_BUCKET: ref('ArchiveBucket'), ARCHIVE_STORAGE_CLASS: ref('ArchiveStorageClass') };
const propagating = {
  ...deadLetters,
  FAN_OUT_QUEUE_URL: ref('FanOutQueue'),
  PAGE_LIMIT: ref('PageLimit'),
  FAN_OUT_WRITE_UNITS: ref('FanOutWriteUnits'),
  RECHECK_DELAY_SECONDS: ref('RecheckDelaySeconds'),
};

const ownVariables: Readonly<Record<FunctionName, Properties>> = {
  Propagate: { ...propagating, ...replica },
  Archive: { ...deadLetters, ...storing, ...replica },
  FanOut: propagating,
  Sweep: { ...storing, SWEEP_READ_UNITS: ref('SweepReadUnits') },
  Verify: {
    VERIFY_SAMPLE_PERCENT: ref('VerifySamplePercent'),
    VERIFY_READ_UNITS: ref('VerifyReadUnits'),
    FAN_OUT_QUEUE_URL: ref('FanOutQueue'),
  },
};

export const variableNames = [sharedVariables, ...Object.values(ownVariables)].flatMap(Object.keys);

type Differences = Properties & {
  readonly Description: string;
  readonly Timeout: number;
  readonly Events: Properties;
};

const differences: Readonly<Record<FunctionName, (registry: Registry) => Differences>> = {
  Propagate: (registry) => ({
    Description: "Updates copies when the table's stream reports a change of their root",
    Timeout: 60,
    Events: streamEvent(registry, 'Propagate', {
      ...{ condition: 'Propagates', BatchSize: 200, window: ref('PropagateWindowSeconds'), lanes: 4 },
      // More lanes cost reads: copies come back split over them, and each batch that they come back in reads their root once.
      why: 'A root with many copies holds up a quarter of its shard instead of all of it.',
    }),
  }),
  Archive: (registry) => ({
    Description: 'Archives items before they expire',
    Timeout: 60,
    Events: streamEvent(registry, 'Archive', {
      ...{ condition: 'Archives', BatchSize: 100, window: 1, lanes: 2 },
      why: 'It mostly waits for S3: a slow object holds up half of its shard at most.',
    }),
  }),
  FanOut: () => ({
    Description: 'Processes the fan-out queue - the rest of large fan-outs, retries and rechecks',
    Timeout: fanOutTimeout,
    RecursiveLoop: 'Allow',
    Events: queueEvent,
    [comments]: {
      RecursiveLoop:
        'It sends messages to its own queue and limits their attempts itself; Lambda would stop the loop after about 16.',
    },
  }),
  Sweep: () => ({
    Description: 'Archives finished items, then sets their expiry',
    ...scheduled('SweepSchedule', 'Sweeps'),
  }),
  Verify: () => ({
    Description: 'Compares a random share of the copies with their roots, and writes nothing',
    ...scheduled('VerifySchedule', 'Verifies'),
  }),
};

export const fanOutTimeout = 60;

export function lambdaFunction(registry: Registry, name: FunctionName): Resource {
  const service = serviceOf(name);
  const { Description, Timeout, Events, ...others } = differences[name](registry);
  return {
    Type: 'AWS::Serverless::Function',
    Metadata: { BuildMethod: 'esbuild', BuildProperties: buildOf(name) },
    Properties: {
      ...{ Description, Handler: `${service}.handler`, Role: arnOf(`${name}Role`), MemorySize: 512, Timeout },
      ...others,
      LoggingConfig: { LogGroup: ref(`${name}Log`) },
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service, ...ownVariables[name] } },
      Events,
    },
  };
}

/** Where a function's role lets it write its lines. A resource of its own: checkov skips a role with a condition among its statements. */
export function logGroup(name: FunctionName): Resource {
  return {
    Type: 'AWS::Logs::LogGroup',
    Properties: {
      LogGroupName: sub(`/denorm/\${AWS::StackName}/${serviceOf(name)}`),
      RetentionInDays: ref('LogRetentionDays'),
      KmsKeyId: when('HasStackKey', ref('StackKmsKeyArn')),
    },
  };
}

/**
 * How esbuild bundles a function.
 *
 * Lambda's credentials are in the environment. What looks for others elsewhere is a fifth of the bundle; that for HTTP is
 * imported on demand, for which esbuild would wrap the whole SDK in functions, a fifth of a cold start. DynamoDB and SQS stream
 * no events.
 */
export function bundling(name: FunctionName) {
  const sources = ['http', 'ini', 'login', 'process', 'sso', 'web-identity'];
  return {
    ...{ entry: `${serviceOf(name)}.ts`, format: 'esm' as const, target: 'node24', minify: true },
    mainFields: ['module', 'main'],
    external: [
      ...sources.map((source) => `@aws-sdk/credential-provider-${source}`),
      ...(archiving.includes(name) ? [] : ['@smithy/core/event-streams']),
      '@smithy/credential-provider-imds',
    ],
    // Bundled CommonJS packages call require, which an ES module does not have.
    banner: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  };
}

function buildOf(name: FunctionName): Properties {
  const { entry, format, target, minify, mainFields, external, banner } = bundling(name);
  return {
    ...{ EntryPoints: [entry], Format: format, Target: target, Minify: minify, OutExtension: ['.js=.mjs'] },
    ...{ MainFields: mainFields.join(), External: external, Banner: [`js=${banner}`] },
  };
}
