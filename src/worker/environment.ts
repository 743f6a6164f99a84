import * as z from 'zod';
import { defaultStorageClass, storageClasses } from '../model/archive-rule.ts';
import type { Config, RuleSettings } from '../model/config.ts';
import { DenormError } from '../model/errors.ts';
import { isLocalEndpoint } from '../model/local-endpoint.ts';
import { environmentName } from '../model/parameters.ts';
import type { Registry } from '../model/registry.ts';

// A schema takes a tenth of a millisecond of a cold start, so each function makes only those of its own environment.

/** An endpoint other than AWS's own. An empty value means no endpoint, as in the SDK. */
const endpoint = () =>
  z
    .string()
    .default('')
    .refine((url) => url === '' || /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'an http or https URL');

/** The endpoint of each service. Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints". */
const endpoints = () => ({
  AWS_ENDPOINT_URL: endpoint(),
  AWS_ENDPOINT_URL_DYNAMODB: endpoint(),
  AWS_ENDPOINT_URL_S3: endpoint(),
  AWS_ENDPOINT_URL_SQS: endpoint(),
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: z.string().optional(),
});

/** A whole number, written in decimal digits. */
function whole(least: number, most: number, standard: number) {
  return z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .default(String(standard))
    .transform(Number)
    .pipe(z.number().min(least).max(most));
}

/** Read units a second, at most the default quota of an on-demand table. */
const readUnits = () => whole(1, 40_000, 50);

const ofTable = () => ({ TABLE_NAME: z.string().min(3) });

const ofFanOut = () =>
  z.object({
    ...ofTable(),
    DEAD_LETTER_QUEUE_URL: z.url(),
    FAN_OUT_QUEUE_URL: z.url(),
    /** Copies that one delivery processes before it requeues the rest, 1 to 1,000. */
    PAGE_LIMIT: whole(1, 1000, 500),
    /** Seconds between a fan-out over an index and its recheck, 0 to 900, the longest delay in SQS. */
    RECHECK_DELAY_SECONDS: whole(0, 900, 60),
    /** The ceiling of one fan-out's writes, in write units a second, 25 to 40,000, the default quota of an on-demand table. */
    FAN_OUT_WRITE_UNITS: whole(25, 40_000, 800),
  });

const ofStream = () => ({
  /** `true` if the table is a replica of a global table: its stream does not mark expiries as deleted by the service. */
  GLOBAL_TABLE_REPLICA: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
});

const ofPropagation = () => z.object({ ...ofFanOut().shape, ...ofStream() });

const ofBucket = () => ({
  ARCHIVE_BUCKET: z.string().min(3),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).default(defaultStorageClass),
});

const ofArchiving = () =>
  z.object({ ...ofTable(), ...ofStream(), ...ofBucket(), DEAD_LETTER_QUEUE_URL: z.url() });

const ofSweeping = () => z.object({ ...ofTable(), ...ofBucket(), SWEEP_READ_UNITS: readUnits() });

const ofVerifying = () =>
  z.object({
    ...ofTable(),
    /** The share of the table that one run reads, in percent, 0.01 to 100. */
    VERIFY_SAMPLE_PERCENT: z
      .string()
      .regex(/^\d+(\.\d+)?$/, 'a number')
      .default('1')
      .transform(Number)
      .pipe(z.number().min(0.01).max(100)),
    VERIFY_READ_UNITS: readUnits(),
  });

/** Derived from the environment of every function. */
interface Derived {
  /** Whether table, queues and bucket are all local. They are never mixed with those of AWS. */
  readonly local: boolean;
}

/**
 * The rules as they are deployed.
 * @throws RuleError or DenormError as {@link Config.registry} does
 */
export function deployedRules(config: Config, environment: NodeJS.ProcessEnv = process.env): Registry {
  return config.registry(deployedSettings(config, environment));
}

/** The parameters and the disabled rules that a function's environment names. What it does not name is as in the config. */
export function deployedSettings(config: Config, environment: NodeJS.ProcessEnv): RuleSettings {
  const disabled = environment['DISABLED_RULES']?.split(',').map((name) => name.trim());
  const parameters = Object.keys(config.parameters).flatMap((name) => {
    const value = environment[environmentName(name)];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    parameters: Object.fromEntries(parameters),
    ...(disabled !== undefined && { disabled: disabled.filter((name) => name !== '') }),
  };
}

export type FanOutEnvironment = ReturnType<typeof fanOutEnvironment>;

/** Settings of `Propagate`. */
export function propagationEnvironment(environment: NodeJS.ProcessEnv = process.env) {
  return read(ofPropagation(), environment);
}

/** Settings of `FanOut`. */
export function fanOutEnvironment(environment: NodeJS.ProcessEnv = process.env) {
  return read(ofFanOut(), environment);
}

/** Settings of `Archive`. */
export function archiveEnvironment(environment: NodeJS.ProcessEnv = process.env) {
  return read(ofArchiving(), environment);
}

/** Settings of `Sweep`. */
export function sweepEnvironment(environment: NodeJS.ProcessEnv = process.env) {
  return read(ofSweeping(), environment);
}

/** Settings of `Verify`. */
export function verifyEnvironment(environment: NodeJS.ProcessEnv = process.env) {
  return read(ofVerifying(), environment);
}

/**
 * What the environment says of a connection, as the AWS CLI reads it: an endpoint of all services, and the region. The SDK itself
 * ignores `AWS_DEFAULT_REGION`.
 */
export function namedConnection(environment: NodeJS.ProcessEnv = process.env): {
  readonly endpoint?: string;
  readonly region?: string;
} {
  const ignored = environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const url = ignored ? undefined : environment['AWS_ENDPOINT_URL'] || undefined;
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || undefined;
  return { ...(url !== undefined && { endpoint: url }), ...(region !== undefined && { region }) };
}

/** Whether the environment names AWS credentials. If it does, no others are assumed. */
export function namesCredentials(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

/** The config file that the environment names, instead of one in or above the working folder; undefined if none. */
export function configFileNamed(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['DENORM_CONFIG'] || undefined;
}

/** The process whose end must end this one; undefined if none is named. */
export function launcherPid(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const pid = Number(environment['DENORM_PARENT_PID']);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/**
 * Parses and freezes the settings in the environment.
 * @throws DenormError `environment.invalid`, which lists every missing or invalid setting; `environment.mixed` if local services would be
 * used together with AWS
 */
function read<Shape extends z.ZodObject>(
  schema: Shape,
  environment: NodeJS.ProcessEnv,
): Readonly<z.output<Shape>> & Derived {
  const parsed = schema.safeParse(environment);
  const connections = z.object(endpoints()).safeParse(environment);
  if (parsed.success && connections.success)
    return Object.freeze({ ...parsed.data, local: isLocal(connectionsOf(connections.data, parsed.data)) });
  const wrong = [...(parsed.error?.issues ?? []), ...(connections.error?.issues ?? [])].map(
    ({ path, message }) =>
      `${path.join('.')}: ${environment[path.join('.')] === undefined ? 'missing' : message}`,
  );
  throw new DenormError(
    'environment.invalid',
    `Expected the function's environment to be complete, found ${wrong.length} wrong: ${wrong.join('; ')}`,
  );
}

/** A table, queue or bucket, by the URL of its requests; empty for AWS's own. `variable` is the setting with the URL. */
interface Connection {
  readonly what: string;
  readonly url: string;
  readonly variable: string;
}

const queues = [
  ['the fan-out queue', 'FAN_OUT_QUEUE_URL'],
  ['the dead-letter queue', 'DEAD_LETTER_QUEUE_URL'],
] as const;

/** The table first. An S3 or SQS endpoint counts even if the function does not use it, because it shows the intent to work locally. */
function connectionsOf(
  said: Readonly<z.output<z.ZodObject<ReturnType<typeof endpoints>>>>,
  config: Readonly<Record<string, unknown>>,
): readonly Connection[] {
  const ignored = said.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS === 'true';
  const urlOf = (variable: 'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_ENDPOINT_URL_S3' | 'AWS_ENDPOINT_URL_SQS') =>
    ignored ? '' : said[variable] || said.AWS_ENDPOINT_URL;
  const connection = (what: string, variable: Parameters<typeof urlOf>[0]) => ({
    what,
    url: urlOf(variable),
    variable,
  });
  return [
    connection('the table', 'AWS_ENDPOINT_URL_DYNAMODB'),
    ...(config['ARCHIVE_BUCKET'] !== undefined || urlOf('AWS_ENDPOINT_URL_S3') !== ''
      ? [connection('the bucket', 'AWS_ENDPOINT_URL_S3')]
      : []),
    // The SDK sends a message to the host in the queue's URL and ignores the SQS endpoint.
    ...queues.flatMap(([what, variable]) => {
      const url = config[variable];
      return typeof url === 'string' ? [{ what, url, variable }] : [];
    }),
    ...(urlOf('AWS_ENDPOINT_URL_SQS') !== '' ? [connection('SQS', 'AWS_ENDPOINT_URL_SQS')] : []),
  ];
}

/**
 * Whether all of these are local; false if none is.
 * @throws DenormError `environment.mixed` if only some are local: items must not pass between local services and AWS
 */
function isLocal(connections: readonly Connection[]): boolean {
  const local = connections.find(({ url }) => isLocalEndpoint(url));
  const remote = connections.find(({ url }) => !isLocalEndpoint(url));
  if (local === undefined || remote === undefined) return local !== undefined;
  throw new DenormError(
    'environment.mixed',
    `Expected table, bucket and queues to be all local or all of AWS, found ${local.what} at ${new URL(local.url).host} ` +
      `and ${remote.what} at ${remote.url === '' ? 'AWS' : new URL(remote.url).host}: set ${remote.variable} to a local one ` +
      `(\`npx denorm dev --sam\` writes an env file with all of them), or unset ${local.variable}`,
  );
}
