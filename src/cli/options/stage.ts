import type { Command } from 'commander';
import type { Stage } from '../../model/config.ts';
import { UsageError } from '../errors.ts';
import { project } from '../project.ts';

/** Options that name a stage. */
export interface StageOptions {
  readonly stage?: string;
}

/** Adds the option that names a stage of the config. */
export function withStage(command: Command): Command {
  return command.option(
    '--stage <name>',
    'a stage of denorm.config.ts, which stands for the options that name a stack or a table',
  );
}

/**
 * The stage that the options name; empty if they name none.
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

/** Options as given, with the stage `dev` if they name none and the config has one. */
export async function orDevStage<Options extends StageOptions>(options: Options): Promise<Options> {
  if (options.stage !== undefined) return options;
  const { stages } = (await project()).config;
  return Object.hasOwn(stages, 'dev') ? { ...options, stage: 'dev' } : options;
}

/** Options as given, completed by their stage. */
export async function staged<Options extends StageOptions>(options: Options): Promise<Options & Stage> {
  const { parameters: _, disabled: __, ...stage } = await stageOf(options);
  return { ...stage, ...options };
}
