import * as z from 'zod';
import { storageClasses } from './model/archive-rule.ts';
import { DenormError } from './model/errors.ts';
import { isLocalEndpoint } from './model/local-endpoint.ts';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/** An endpoint other than AWS's own. An empty value means no endpoint, as in the SDK. */
const endpoint = z
  .string()
  .default('')
  .refine((url) => url === '' || /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'an http or https URL');

/** The endpoint of each service. Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints". */
const endpoints = {
  AWS_ENDPOINT_URL: endpoint,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_ENDPOINT_URL_SQS: endpoint,
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: z.string().optional(),
};

/** A whole number, written in decimal digits. */
function whole(least: number, most: number, standard: number) {
  return z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .default(String(standard))
    .transform(Number)
    .pipe(z.number().min(least).max(most));
}

const onEveryFunction = {
  TABLE_NAME: z.string().min(3),
  DEAD_LETTER_QUEUE_URL: z.url(),
  /** Rules that are switched off, separated by commas. */
  DISABLED_RULES: list,
  /** `true` if the table is a replica of a global table: its stream does not mark expiries as deleted by the service. */
  GLOBAL_TABLE_REPLICA: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
};

const ofPropagation = z.object({
  ...onEveryFunction,
  FAN_OUT_QUEUE_URL: z.url(),
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** Copies that one delivery processes before it requeues the rest, 1 to 1,000. */
  PAGE_LIMIT: whole(1, 1000, 500),
  /** Seconds between a fan-out over an index and its recheck, 0 to 900, the longest delay in SQS. */
  RECHECK_DELAY_SECONDS: whole(0, 900, 60),
});

const ofArchiving = z.object({
  ...onEveryFunction,
  ARCHIVE_BUCKET: z.string().min(3),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).default('GLACIER'),
});

const ofSweeping = z.object({
  ...ofArchiving.shape,
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** Read units a second, 1 to 40,000, the default quota of an on-demand table. */
  SWEEP_READ_UNITS: whole(1, 40_000, 50),
  /** Days after which a sweep takes a finished item, 1 to 36,500. */
  SWEEP_AFTER_DAYS: whole(1, 36_500, 90),
});

const ofVerifying = z.object({
  TABLE_NAME: onEveryFunction.TABLE_NAME,
  DISABLED_RULES: list,
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** The share of the table that one run reads, in percent, 0.01 to 100. */
  VERIFY_SAMPLE_PERCENT: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'a number')
    .default('1')
    .transform(Number)
    .pipe(z.number().min(0.01).max(100)),
  /** Read units a second, 1 to 40,000, the default quota of an on-demand table. */
  VERIFY_READ_UNITS: whole(1, 40_000, 50),
});

/** Derived from the environment of every function. */
interface Derived {
  /** Whether table, queues and bucket are all local. They are never mixed with those of AWS. */
  readonly local: boolean;
}

export type PropagationConfig = Readonly<z.output<typeof ofPropagation>> & Derived;
export type ArchiveConfig = Readonly<z.output<typeof ofArchiving>> & Derived;
export type SweepConfig = Readonly<z.output<typeof ofSweeping>> & Derived;
export type VerifyConfig = Readonly<z.output<typeof ofVerifying>> & Derived;

/** Settings of `Propagate` and `FanOut`. */
export function propagationConfig(environment: NodeJS.ProcessEnv = process.env): PropagationConfig {
  return read(ofPropagation, environment);
}

/** Settings of `Archive`. */
export function archiveConfig(environment: NodeJS.ProcessEnv = process.env): ArchiveConfig {
  return read(ofArchiving, environment);
}

/** Settings of `Sweep`. */
export function sweepConfig(environment: NodeJS.ProcessEnv = process.env): SweepConfig {
  return read(ofSweeping, environment);
}

/** Settings of `Verify`. */
export function verifyConfig(environment: NodeJS.ProcessEnv = process.env): VerifyConfig {
  return read(ofVerifying, environment);
}

/** Whether the environment names AWS credentials. If it does, no others are assumed. */
export function namesCredentials(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

/** The process whose end must end this one; undefined if none is named. */
export function launcherPid(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const pid = Number(environment['DENORM_PARENT_PID']);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/**
 * Parses and freezes the settings in the environment.
 * @throws DenormError `config.invalid`, which lists every missing or invalid setting; `config.mixed` if local services would be
 * used together with AWS
 */
function read<Shape extends z.ZodObject>(
  schema: Shape,
  environment: NodeJS.ProcessEnv,
): Readonly<z.output<Shape>> & Derived {
  const parsed = schema.safeParse(environment);
  const connections = z.object(endpoints).safeParse(environment);
  if (parsed.success && connections.success)
    return Object.freeze({ ...parsed.data, local: isLocal(connectionsOf(connections.data, parsed.data)) });
  const wrong = [...(parsed.error?.issues ?? []), ...(connections.error?.issues ?? [])].map(
    ({ path, message }) =>
      `${path.join('.')}: ${environment[path.join('.')] === undefined ? 'missing' : message}`,
  );
  throw new DenormError(
    'config.invalid',
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
  said: Readonly<z.output<z.ZodObject<typeof endpoints>>>,
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
 * @throws DenormError `config.mixed` if only some are local: items must not pass between local services and AWS
 */
function isLocal(connections: readonly Connection[]): boolean {
  const local = connections.find(({ url }) => isLocalEndpoint(url));
  const remote = connections.find(({ url }) => !isLocalEndpoint(url));
  if (local === undefined || remote === undefined) return local !== undefined;
  throw new DenormError(
    'config.mixed',
    `Expected table, bucket and queues to be all local or all of AWS, found ${local.what} at ${new URL(local.url).host} ` +
      `and ${remote.what} at ${remote.url === '' ? 'AWS' : new URL(remote.url).host}: set ${remote.variable} to a local one ` +
      `(\`npx denorm dev --sam\` writes an env file with all of them), or unset ${local.variable}`,
  );
}
