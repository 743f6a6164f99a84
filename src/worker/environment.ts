import { DenormError } from '../model/basics/errors.ts';
import type { Config, RuleSettings } from '../model/rules/config.ts';
import { environmentName } from '../model/rules/parameters.ts';
import type { Registry } from '../model/rules/registry.ts';
import {
  type Environment,
  type FunctionName,
  readOrDefault,
  readSetting,
  type Setting,
  type SettingName,
  type SettingsOf,
  settingNames,
  settings,
} from '../model/work/settings.ts';

/** `local`: table, queues and bucket are all local. They are never mixed with those of AWS. */
export type FunctionSettings<Name extends FunctionName> = SettingsOf<Name> & { readonly local: boolean };

/**
 * The rules as they are deployed.
 * @throws RuleError or DenormError as {@link Config.registry} does
 */
export function deployedRules(config: Config, environment: Environment = process.env): Registry {
  return config.registry(deployedSettings(config, environment));
}

/** What the environment does not name is as in the config. */
export function deployedSettings(config: Config, environment: Environment): RuleSettings {
  const disabled = readOrDefault('disabledRules', environment);
  const parameters = Object.keys(config.parameters).flatMap((name) => {
    const value = environment[environmentName(name)];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { parameters: Object.fromEntries(parameters), ...(disabled !== undefined && { disabled }) };
}

/** @throws DenormError `environment.invalid`, with every missing or invalid setting; `environment.mixed` as {@link isLocal} */
export function functionSettings<Name extends FunctionName>(
  name: Name,
  environment: Environment = process.env,
): FunctionSettings<Name> {
  const wrong = endpointVariables
    .filter((variable) => !isEndpoint(environment[variable] ?? ''))
    .map((variable) => `${variable}: expected an http or https URL, got another text`);
  const values: { [Key in SettingName]?: unknown } = {};
  for (const key of settingNames) {
    const { usedBy }: Setting = settings[key];
    if (!usedBy.includes(name)) continue;
    const read = readSetting(key, environment);
    if ('wrong' in read) wrong.push(`${environmentName(key)}: ${read.wrong}`);
    else values[key] = read.value;
  }
  if (wrong.length > 0)
    throw new DenormError(
      'environment.invalid',
      `Expected the function's environment to be complete, found ${wrong.length} wrong: ${wrong.join('; ')}: correct the parameters of the stack, or what else sets them`,
    );
  // Each setting that the table gives this function was read above.
  const complete = {
    ...values,
    local: isLocal(connectionsOf(environment, values)),
  } as FunctionSettings<Name>;
  Object.freeze(complete);
  return complete;
}

/** Source: AWS SDKs and Tools Reference Guide, "Service-specific endpoints". */
const endpointVariables = [
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ENDPOINT_URL_SQS',
] as const;

/** An empty value means no endpoint, as in the SDK. */
function isEndpoint(url: string): boolean {
  return url === '' || /^https?:$/.test(URL.parse(url)?.protocol ?? '');
}

interface Connection {
  readonly what: string;
  readonly url: string;
  readonly variable: string;
}

/** The table first. An S3 or SQS endpoint counts even if the function does not use it, because it shows the intent to work locally. */
function connectionsOf(
  environment: Environment,
  used: { readonly [Key in SettingName]?: unknown },
): readonly Connection[] {
  const of = (what: string, variable: (typeof endpointVariables)[number]): Connection => {
    const isIgnored = environment['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] === 'true';
    return {
      what,
      variable,
      url: isIgnored ? '' : environment[variable] || environment['AWS_ENDPOINT_URL'] || '',
    };
  };
  const bucket = of('the bucket', 'AWS_ENDPOINT_URL_S3');
  const sqs = of('SQS', 'AWS_ENDPOINT_URL_SQS');
  // The SDK sends a message to the host in the queue's URL and ignores the SQS endpoint.
  const queues = (
    [
      { what: 'the fan-out queue', name: 'fanOutQueueUrl' },
      { what: 'the dead-letter queue', name: 'deadLetterQueueUrl' },
    ] as const
  ).flatMap(({ what, name }) =>
    used[name] === undefined ? [] : { what, variable: environmentName(name), url: String(used[name]) },
  );
  return [
    of('the table', 'AWS_ENDPOINT_URL_DYNAMODB'),
    ...(used.archiveBucket !== undefined || bucket.url ? [bucket] : []),
    ...queues,
    ...(sqs.url ? [sqs] : []),
  ];
}

/**
 * False if none is.
 * @throws DenormError `environment.mixed` if only some are: items must not pass between them and AWS
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

/** Addresses, names without a dot, and names that engines and emulators give to their host: AWS's own endpoints have others. */
const localHost =
  /^(\[.+\]|\d+(\.\d+){3}|[^.]+|.+\.localhost|.+\.local|.+\.(docker|containers|lima|orb)\.internal|(.+\.)?localhost\.localstack\.cloud)$/;

export function isLocalEndpoint(url: string): boolean {
  return URL.canParse(url) && localHost.test(new URL(url).hostname.toLowerCase().replace(/\.$/, ''));
}
