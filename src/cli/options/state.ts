import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { configName, project } from '../project.ts';

export interface StateOptions {
  readonly stateDir?: string;
}

/** @param what the folder is for */
export function withState(command: Command, what: string): Command {
  return command.option('--state-dir <dir>', `${what} (default: in .denorm beside ${configName})`);
}

/** The folder of what `denorm dev` and interrupted commands keep: that of the project, wherever in it a command is called. */
export async function stateDirOf({ stateDir }: StateOptions): Promise<string> {
  return stateDir ?? relative(process.cwd(), join((await project()).folder, '.denorm'));
}
