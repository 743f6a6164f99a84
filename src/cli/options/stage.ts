import type { Command } from 'commander';
import { isLoopback } from '../../dev/loopback.ts';
import type { Stage } from '../../model/rules/config.ts';
import { UsageError } from '../errors.ts';
import { project } from '../project.ts';

export interface StageOptions {
  readonly stage?: string;
}

export function withStage(command: Command): Command {
  return command.option(
    '--stage <name>',
    'a stage of denorm.config.ts, which stands for the options that name a stack or a table',
  );
}

/**
 * Empty if the options name none.
 * @throws UsageError `usage.stage` for a name that the config does not have
 */
export async function stageOf({ stage }: StageOptions): Promise<Stage> {
  if (stage === undefined) return {};
  const { stages } = (await project()).config;
  const named = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  if (named !== undefined) return named;
  const known = Object.keys(stages).join(', ');
  throw new UsageError(
    'usage.stage',
    `Expected --stage to be a stage of denorm.config.ts (${known || 'it has none'}), got '${stage}'`,
  );
}

/** The table of `denorm dev`, unless it is given another. */
export async function devTableName({ table }: Stage = {}): Promise<string> {
  const { stages } = (await project()).config;
  return table ?? stages['dev']?.table ?? 'app';
}

/** Options as given, with the stage `dev` if they name none and the config has one. */
export async function orDevStage<Options extends StageOptions>(options: Options): Promise<Options> {
  if (options.stage !== undefined) return options;
  const { stages } = (await project()).config;
  return Object.hasOwn(stages, 'dev') ? { ...options, stage: 'dev' } : options;
}

/**
 * Options as given, completed by their stage, which they no longer name. Where the stage names a stack, the stack names its
 * queues and its bucket.
 * @throws UsageError `usage.stage` beside a stack or, unless the stage is on this machine, a table: the parts of two places
 * would be mixed
 */
export async function staged<
  Options extends StageOptions & { readonly stack?: string; readonly table?: string },
>(given: Options): Promise<Omit<Options, 'stage'> & Stage> {
  // Outside of a project, a command ends before it asks AWS for anything.
  await project();
  const { parameters: _, disabled: __, ...stage } = await stageOf(given);
  const { stage: name, ...options } = given;
  const namesTable = options.table !== undefined && !meansDevEnvironment(stage);
  if (name !== undefined && (options.stack !== undefined || namesTable))
    throw new UsageError(
      'usage.stage',
      `Expected --stage alone, got it with --${options.stack === undefined ? 'table' : 'stack'}: leave one of them out`,
    );
  const { queueUrl: ___, deadLetterQueueUrl: ____, bucket: _____, ...besideStack } = stage;
  return { ...(stage.stack === undefined ? stage : besideStack), ...options };
}

/** Whether the options, completed by their stage, name nothing but what may be on this machine: then `denorm dev` is meant. */
export function meansDevEnvironment({
  stack,
  region,
  profile,
  endpoint,
  bucket,
  queueUrl,
  deadLetterQueueUrl,
}: Stage): boolean {
  if ([stack, bucket, queueUrl, deadLetterQueueUrl].some((one) => one !== undefined)) return false;
  return endpoint === undefined ? region === undefined && profile === undefined : isLoopback(endpoint);
}
