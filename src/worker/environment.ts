import * as z from 'zod';
import { defaultStorageClass, storageClasses } from '../model/archive-rule.ts';
import type { Config, RuleSettings } from '../model/config.ts';
import { DenormError } from '../model/errors.ts';
import { isLocalEndpoint } from '../model/local-endpoint.ts';
import { environmentName } from '../model/parameters.ts';
import type { Registry } from '../model/registry.ts';

// A schema takes a tenth of a millisecond of a cold start, so each function makes only those of its own settings.

function numeric(pattern: RegExp, least: number, most: number, standard: number) {
  return z
    .string()
    .regex(pattern, 'a number')
    .default(String(standard))
    .transform(Number)
    .pipe(z.number().min(least).max(most));
}

const whole = (least: number, most: number, standard: number) => numeric(/^\d+$/, least, most, standard);

/** Read units a second, at most the default quota of an on-demand table. */
const readUnits = () => whole(1, 40_000, 50);

const ofTable = () => ({ TABLE_NAME: z.string().min(3) });

const ofQueue = () => ({
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

const ofBucket = () => ({
  ...ofTable(),
  ARCHIVE_BUCKET: z.string().min(3),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).default(defaultStorageClass),
});

const schemas = {
  Propagate: () => z.object({ ...ofQueue(), ...ofStream() }),
  FanOut: () => z.object(ofQueue()),
  Archive: () => z.object({ ...ofBucket(), ...ofStream(), DEAD_LETTER_QUEUE_URL: z.url() }),
  Sweep: () => z.object({ ...ofBucket(), SWEEP_READ_UNITS: readUnits() }),
  Verify: () =>
    z.object({
      ...ofTable(),
      /** The share of the table that one run reads, in percent, 0.01 to 100. */
      VERIFY_SAMPLE_PERCENT: numeric(/^\d+(\.\d+)?$/, 0.01, 100, 1),
      VERIFY_READ_UNITS: readUnits(),
      FAN_OUT_QUEUE_URL: z.url(),
    }),
};

export type FunctionName = keyof typeof schemas;
type Schemas = { readonly [Name in FunctionName]: ReturnType<(typeof schemas)[Name]> };
const schemaOf: { readonly [Name in FunctionName]: () => Schemas[Name] } = schemas;

/** `local`: table, queues and bucket are all local. They are never mixed with those of AWS. */
export type FunctionSettings<Name extends FunctionName> = Readonly<z.output<Schemas[Name]>> & {
  readonly local: boolean;
};

/** The rules as they are deployed. @throws RuleError or DenormError as {@link Config.registry} does */
export function deployedRules(config: Config, environment: NodeJS.ProcessEnv = process.env): Registry {
  return config.registry(deployedSettings(config, environment));
}

/** What the environment does not name is as in the config. `none` switches no rule off: SAM CLI refuses an empty value. */
export function deployedSettings(config: Config, environment: NodeJS.ProcessEnv): RuleSettings {
  const disabled = environment['DISABLED_RULES']?.split(',').map((name) => name.trim());
  const parameters = Object.keys(config.parameters).flatMap((name) => {
    const value = environment[environmentName(name)];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    parameters: Object.fromEntries(parameters),
    ...(disabled !== undefined && { disabled: disabled.filter((name) => !['', 'none'].includes(name)) }),
  };
}

/** @throws DenormError `environment.invalid`, with every missing or invalid setting; `environment.mixed` as {@link isLocal} */
export function functionSettings<Name extends FunctionName>(
  name: Name,
  environment: NodeJS.ProcessEnv = process.env,
): FunctionSettings<Name> {
  const parsed = parse(schemaOf[name](), environment);
  const services = z.object(endpoints()).safeParse(environment);
  if (parsed.success && services.success)
    return Object.freeze({ ...parsed.data, local: isLocal(connectionsOf(services.data, parsed.data)) });
  const wrong = [...(parsed.error?.issues ?? []), ...(services.error?.issues ?? [])].map(
    ({ path, message }) =>
      `${path.join('.')}: ${environment[path.join('.')] === undefined ? 'missing' : message}`,
  );
  throw new DenormError(
    'environment.invalid',
    `Expected the function's environment to be complete, found ${wrong.length} wrong: ${wrong.join('; ')}`,
  );
}

/** As the AWS CLI reads it. The SDK itself ignores `AWS_DEFAULT_REGION`. */
export function namedConnection(environment: NodeJS.ProcessEnv = process.env): {
  readonly endpoint?: string;
  readonly region?: string;
} {
  const ignored = environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
  const url = ignored ? undefined : environment['AWS_ENDPOINT_URL'] || undefined;
  const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || undefined;
  return { ...(url !== undefined && { endpoint: url }), ...(region !== undefined && { region }) };
}

/** If it does, no others are assumed. */
export function namesCredentials(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

/** Instead of one in or above the working folder; undefined if none. */
export function configFileNamed(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['DENORM_CONFIG'] || undefined;
}

/** The process whose end must end this one. */
export function launcherPid(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const pid = Number(environment['DENORM_PARENT_PID']);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/** For an emulator whose functions inherit it: without what is meant for this process, and which they would not find deployed. */
export function environmentOfFunctions(port: number, folder: string): NodeJS.ProcessEnv {
  const own = { NODE_OPTIONS: undefined, AWS_ENDPOINT_URL: undefined, DENORM_PARENT_PID: undefined };
  return { ...process.env, ...own, GATEWAY_PORT: String(port), TMPDIR: folder };
}

/** Keeps the type of the output where the schema's own is generic. */
function parse<Schema extends z.ZodObject>(schema: Schema, environment: NodeJS.ProcessEnv) {
  return schema.safeParse(environment);
}

/** An endpoint other than AWS's own. An empty value means no endpoint, as in the SDK. */
const endpoint = () =>
  z
    .string()
    .default('')
    .refine((url) => url === '' || /^https?:$/.test(URL.parse(url)?.protocol ?? ''), 'an http or https URL');

/** Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints". */
const endpoints = () => ({
  AWS_ENDPOINT_URL: endpoint(),
  AWS_ENDPOINT_URL_DYNAMODB: endpoint(),
  AWS_ENDPOINT_URL_S3: endpoint(),
  AWS_ENDPOINT_URL_SQS: endpoint(),
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: z.string().optional(),
});

type Endpoints = Readonly<z.output<z.ZodObject<ReturnType<typeof endpoints>>>>;

interface Connection {
  readonly what: string;
  readonly url: string;
  readonly variable: string;
}

/** The table first. An S3 or SQS endpoint counts even if the function does not use it, because it shows the intent to work locally. */
function connectionsOf(given: Endpoints, used: Readonly<Record<string, unknown>>): readonly Connection[] {
  const of = (what: string, variable: `AWS_ENDPOINT_URL_${'DYNAMODB' | 'S3' | 'SQS'}`): Connection => {
    const isIgnored = given.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS === 'true';
    return { what, variable, url: isIgnored ? '' : given[variable] || given.AWS_ENDPOINT_URL };
  };
  const bucket = of('the bucket', 'AWS_ENDPOINT_URL_S3');
  const sqs = of('SQS', 'AWS_ENDPOINT_URL_SQS');
  // The SDK sends a message to the host in the queue's URL and ignores the SQS endpoint.
  const queues = [
    { what: 'the fan-out queue', variable: 'FAN_OUT_QUEUE_URL' },
    { what: 'the dead-letter queue', variable: 'DEAD_LETTER_QUEUE_URL' },
  ].flatMap((queue) => (used[queue.variable] ? { ...queue, url: String(used[queue.variable]) } : []));
  return [
    of('the table', 'AWS_ENDPOINT_URL_DYNAMODB'),
    ...(used['ARCHIVE_BUCKET'] || bucket.url ? [bucket] : []),
    ...queues,
    ...(sqs.url ? [sqs] : []),
  ];
}

/** False if none is. @throws DenormError `environment.mixed` if only some are: items must not pass between them and AWS */
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
