import { inspect } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import type { Config, RuleSettings } from '../../model/rules/config.ts';
import { parameterValues } from '../../model/rules/parameters.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { readOrDefault } from '../../model/work/settings.ts';
import { functionEnvironment } from '../../operate/adapters/lambda-functions.ts';
import { deployedSettings } from '../../worker/environment.ts';
import { UsageError } from '../errors.ts';
import { project } from '../project.ts';
import { rulesDigest } from '../rules-digest.ts';
import type { TableServices } from './services.ts';
import { type StageOptions, stageOf } from './stage.ts';

export interface RulesOptions extends StageOptions {
  readonly parameter?: Readonly<Record<string, string>>;
  /** Whether the table is a replica of a global table, where no stack says it. */
  readonly globalTableReplica?: true;
}

export type RulesInForce = Readonly<Awaited<ReturnType<typeof rulesInForce>>>;
export type RulesServices = Pick<TableServices, 'connection' | 'stack'>;

export function withRules(command: Command): Command {
  return command.option(
    '--parameter <Name=value>',
    'a parameter of the application, as deployed; repeatable (default: that of --stack or --stage, otherwise its own)',
    collected,
  );
}

export function collected(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Expected a name and a value, such as StatusShards=4.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

/** All rules of the project, disabled ones included. */
export async function allRules(options: RulesOptions = {}): Promise<Registry> {
  return (await project()).config.registry({ ...(await localSettings(options)), disabled: [] });
}

/** @param known the rules of which one is expected */
export function unknownRule(got: string, known: readonly { readonly name: string }[]): UsageError {
  const names = [...new Set(known.map(({ name }) => name))];
  return new UsageError(
    'usage.rule',
    `Expected --rule to be one of ${names.join(', ') || 'none, because there is none'}, got '${got}'`,
  );
}

export async function localRules(options: RulesOptions): Promise<Registry> {
  return (await project()).config.registry(await localSettings(options));
}

export async function localSettings(options: RulesOptions): Promise<RuleSettings> {
  const { parameters, disabled } = await stageOf(options);
  return {
    parameters: { ...parameters, ...options.parameter },
    ...(disabled !== undefined && { disabled }),
  };
}

/**
 * With the settings of the deployed stack: others would report correct copies as drift, and overwrite them. Without a stack, the
 * settings are those of the stage and the options.
 * @param functionName the deployed function whose settings are meant. Default: Propagate
 */
export async function rulesInForce(
  { connection, stack }: RulesServices,
  options: RulesOptions,
  functionName: string | undefined = stack?.PropagateFunction,
) {
  const { config } = await project();
  const environment: Readonly<Record<string, string>> =
    functionName === undefined ? {} : await functionEnvironment(connection.lambda, functionName);
  const deployed =
    functionName === undefined ? await localSettings(options) : deployedSettings(config, environment);
  const settings = { ...deployed, parameters: { ...deployed.parameters, ...options.parameter } };
  const registry = config.registry(settings);
  return {
    registry,
    digest: digestInForce(config, registry, settings),
    /** That of the deployed function; empty without a stack. */
    environment,
    /** How the deployed function distinguishes expiries from deletions; without a stack, what the options say. */
    evidence: {
      globalTableReplica:
        readOrDefault('globalTableReplica', environment) || options.globalTableReplica === true,
    },
    /** The deployed function's class for items whose rule names none. */
    storageClass: readOrDefault('archiveStorageClass', environment),
  };
}

export function digestInForce(config: Config, registry: Registry, settings: RuleSettings): string {
  const { disabled = config.disabled } = settings;
  const values = parameterValues(config.parameters, settings.parameters ?? {});
  const everything = { depth: null, maxArrayLength: null, maxStringLength: null, sorted: true } as const;
  return rulesDigest(registry, inspect([values, disabled], everything));
}
