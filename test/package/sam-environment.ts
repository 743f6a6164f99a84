import { delimiter, join } from 'node:path';
import { findNode } from '../../bin/node-24.mjs';
import { projectFolder } from '../../scripts/python-tools.ts';
import { type Cloud, environment } from '../deployed/stack.ts';

/** The environment of a user who has SAM CLI, and takes the emulator for AWS. @param folders what else is on the path */
export function samEnvironment(emulator: Cloud, ...folders: readonly string[]): NodeJS.ProcessEnv {
  const programs = [join(projectFolder, '.venv-sam/sam/bin'), join(findNode() ?? process.execPath, '..')];
  return {
    ...environment(emulator),
    ...{ PATH: [...folders, ...programs, process.env['PATH']].join(delimiter), SAM_CLI_TELEMETRY: '0' },
    ...{ PYTHONUTF8: '1', NODE_EXTRA_CA_CERTS: emulator.certificate },
  };
}
