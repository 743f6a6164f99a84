import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DenormError } from '../../model/basics/errors.ts';
import { environmentName } from '../../model/rules/parameters.ts';
import type { Registry } from '../../model/rules/registry.ts';
import {
  type FunctionName,
  functionNames,
  type SettingName,
  serviceOf,
  settingNames,
  settings,
  stackSources,
} from '../../model/work/settings.ts';
import { arnOf, comments, type Properties, type Resource, ref, sub, when } from '../cloudformation.ts';
import type { Usage } from '../needs/usage.ts';
import { queueEvent, scheduled, streamEvent, timer } from './event-sources.ts';
import { tableName } from './table.ts';

export function functionsOf({ archives, sweeps, beats }: Usage): readonly FunctionName[] {
  const isNeeded: Readonly<Record<FunctionName, boolean>> = {
    Propagate: true,
    Archive: archives,
    FanOut: true,
    Sweep: sweeps,
    Verify: true,
    Heartbeat: beats,
  };
  return functionNames.filter((name) => isNeeded[name]);
}

/** Functions that use S3, whose client does not start without the code for events in a stream. */
const archiving: readonly FunctionName[] = ['Archive', 'Sweep'];

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

const usersOf = (name: SettingName): readonly FunctionName[] => settings[name].usedBy;
const isShared = (name: SettingName) => functionNames.every((one) => usersOf(name).includes(one));

function variables(has: (name: SettingName) => boolean): Properties {
  return Object.fromEntries(
    settingNames.filter(has).map((name) => [environmentName(name), valueInStack(name)]),
  );
}

function valueInStack(name: SettingName): Properties {
  const source = stackSources[name];
  if ('parameter' in source) return ref(source.parameter);
  return source.resource === 'Table' ? tableName : ref(source.resource);
}

/** Without a rule that archives, the stack has no parameter for it. */
function ownVariables({ archives }: Registry, name: FunctionName): Properties {
  const isThere = (setting: SettingName) => archives.length > 0 || setting !== 'archiveEnabled';
  return variables((one) => usersOf(one).includes(name) && !isShared(one) && isThere(one));
}

const sharedVariables: Properties = {
  AWS_ENDPOINT_URL_DYNAMODB: '',
  AWS_ENDPOINT_URL_S3: '',
  AWS_ENDPOINT_URL_SQS: '',
  ...variables(isShared),
  POWERTOOLS_LOG_LEVEL: ref('LogLevel'),
  POWERTOOLS_METRICS_NAMESPACE: sub(`denorm/\${AWS::StackName}`),
  [comments]: {
    AWS_ENDPOINT_URL_DYNAMODB:
      "Empty means AWS's own endpoint: the SDK ignores an empty one. They are declared because `sam local invoke` passes only\nvariables that the template declares.",
  },
};

export const variableNames = [...Object.keys(sharedVariables), ...settingNames.map(environmentName)];

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
      condition: 'Propagates',
      BatchSize: 200,
      window: ref('PropagateWindowSeconds'),
      lanes: 4,
      // More lanes cost reads: copies come back split over them, and each batch that they come back in reads their root once.
      why: 'A root with many copies holds up a quarter of its shard instead of all of it.',
    }),
  }),
  Archive: (registry) => ({
    Description: 'Archives items before they expire',
    Timeout: 60,
    Events: streamEvent(registry, 'Archive', {
      condition: 'Archives',
      BatchSize: 100,
      window: 1,
      lanes: 2,
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
  Heartbeat: () => ({
    Description: 'Sends a beat the way of a change, and publishes which have not arrived',
    Timeout: 60,
    EventInvokeConfig: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 1 },
    Events: timer('rate(5 minutes)', 'ENABLED'),
  }),
};

export const fanOutTimeout = 60;

/** Whether a deployment makes the function, its role and its log at all. */
export const conditionOf = (name: FunctionName) => (name === 'Heartbeat' ? 'Beats' : undefined);

export function lambdaFunction(registry: Registry, name: FunctionName): Resource {
  const service = serviceOf(name);
  const { Description, Timeout, Events, ...others } = differences[name](registry);
  return {
    Type: 'AWS::Serverless::Function',
    Condition: conditionOf(name),
    Metadata: { BuildMethod: 'esbuild', BuildProperties: buildOf(name) },
    Properties: {
      Description,
      Handler: `${service}.handler`,
      Role: arnOf(`${name}Role`),
      MemorySize: 512,
      Timeout,
      ...others,
      LoggingConfig: { LogGroup: ref(`${name}Log`) },
      Environment: { Variables: { POWERTOOLS_SERVICE_NAME: service, ...ownVariables(registry, name) } },
      Events,
    },
  };
}

/** Where a function's role lets it write its lines. A resource of its own: checkov skips a role with a condition among its statements. */
export function logGroup(name: FunctionName): Resource {
  return {
    Type: 'AWS::Logs::LogGroup',
    Condition: conditionOf(name),
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
function bundling(name: FunctionName) {
  const sources = ['http', 'ini', 'login', 'process', 'sso', 'web-identity'];
  return {
    entry: `${serviceOf(name)}.ts`,
    format: 'esm' as const,
    target: 'node24',
    minify: true,
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
    EntryPoints: [entry],
    Format: format,
    Target: target,
    Minify: minify,
    OutExtension: ['.js=.mjs'],
    MainFields: mainFields.join(),
    External: external,
    Banner: [`js=${banner}`],
  };
}

/**
 * How esbuild bundles a function of the stack, as `sam build` has it do.
 * @param handlers the folder of the entry points
 * @throws DenormError `template.no-handler`
 */
export function bundleOptions(name: FunctionName, handlers: string) {
  const { entry, banner, ...settings } = bundling(name);
  const file = join(handlers, entry);
  if (!existsSync(file))
    throw new DenormError(
      'template.no-handler',
      `Expected the handler of a function in ${file}, found no such file: add it, as \`npx stream-denormalizer init\` writes it, or name the folder of the handlers`,
    );
  return {
    ...settings,
    entryPoints: [file],
    outfile: entry.replace(/\.ts$/, '.mjs'),
    bundle: true,
    platform: 'node' as const,
    logLevel: 'error' as const,
    banner: { js: banner },
  };
}
