/** `npm run setup:sam`: the Python side of this repository, linters too, in `.venv-sam`, from the pins in `requirements/`. */
import { reportError } from '../src/cli/errors.ts';
import { setUpSam } from '../src/cli/setup-sam/command.ts';
import { environments, projectFolder } from './python-tools.ts';

process.chdir(projectFolder);
try {
  await setUpSam(environments);
} catch (error) {
  process.exitCode = reportError(error);
}
