/** `npm run setup:sam`: SAM CLI, MiniStack, moto and linters for this repository's suites, in `.venv-sam`, from the pins in `requirements/`. */
import { reportError } from '../src/cli/errors.ts';
import { makePythonEnvironments } from './python-environments.ts';
import { environments } from './python-tools.ts';

const started = performance.now();
try {
  const made = await makePythonEnvironments();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const outcome = made.length > 0 ? 'made' : 'already there';
  console.log(`${environments.join(', ')} in .venv-sam: ${outcome}, ${seconds} s`);
} catch (error) {
  process.exitCode = reportError(error);
}
