import { join } from 'node:path';
import type { Command } from 'commander';
import { makePythonEnvironments } from '../../develop/dev/sam/python-environments.ts';
import { pythonFolderName } from '../../develop/dev/sam/python-tool.ts';

export function setupSamCommand(command: Command): Command {
  return command.addHelpText('after', helpAfter).action(() => setUpSam(['sam', 'ministack']));
}

const helpAfter = `
Needs Python 3.10 to 3.13 and a download of some 200 MB. All packages are pinned, with hashes. \`denorm dev --sam\`
uses them. To use SAM CLI yourself, with esbuild for \`sam build\`:
  $ export PATH=$PWD/node_modules/.bin:$PWD/.venv-sam/sam/bin:$PATH`;

export async function setUpSam(names: readonly string[]): Promise<void> {
  const started = performance.now();
  const made = await makePythonEnvironments(names, join(process.cwd(), pythonFolderName));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${names.join(', ')} in ${pythonFolderName}: ${made.length > 0 ? 'made' : 'already there'}, ${seconds} s`,
  );
}
