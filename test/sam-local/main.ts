/**
 * `npm run test:sam-local`: the functions in real containers, by `sam local invoke`. Uses the container engine that
 * answers; else, as root on Linux, starts one in a network namespace of its own. `--install-engine`, as the first argument,
 * installs that from Debian's packages where it is missing. The other arguments are vitest's.
 */
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toolEnvironment } from '../../scripts/python-tools.ts';
import { engineAnswers, engineCanStart, NoEngine, startEngine } from './container-engine.ts';
import { imageName, importImage, lambdaImageRoot } from './lambda-image.ts';

const inNamespace = '--in-namespace';
const thisFile = fileURLToPath(import.meta.url);

/** Runs a program to its end, with this process's output; it is asked to end where this process is. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function tests(more: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  return run(
    process.execPath,
    [vitest, 'run', '--config', 'test/suites.config.ts', '--mode', 'sam-local', ...more],
    toolEnvironment(env),
  );
}

/** The engine, the image and the tests, where nothing else can be met. */
async function withOwnEngine(imageRoot: string, more: readonly string[]): Promise<number> {
  spawnSync('ip', ['link', 'set', 'lo', 'up'], { stdio: 'inherit' });
  const engine = await startEngine().catch((error: unknown) => {
    if (error instanceof NoEngine) return error;
    throw error;
  });
  if (engine instanceof NoEngine) return skipped(` (${engine.message})`);
  const env = { ...process.env, DOCKER_HOST: engine.host };
  try {
    await importImage(imageRoot, env);
    return await tests(more, { DOCKER_HOST: engine.host, SAM_LOCAL_IMAGE: imageName });
  } finally {
    await engine.stop();
  }
}

/** Says that nothing was proved, in the form that `.ci/run` reads. */
function skipped(why = ''): number {
  console.log(`skipped: no container engine${why}\n0 passed, 0 failed, 1 skipped`);
  return 0;
}

const [first = '', ...rest] = process.argv.slice(2);
const install = first === '--install-engine';
const forVitest = install ? rest : process.argv.slice(2);
if (first === inNamespace) {
  const [imageRoot = '', ...more] = rest;
  process.exitCode = await withOwnEngine(imageRoot, more);
} else if (engineAnswers()) process.exitCode = await tests(forVitest, {});
else if (engineCanStart(install)) {
  // Outside of the namespace, which reaches no registry.
  const imageRoot = lambdaImageRoot();
  try {
    const inside = [process.execPath, ...process.execArgv, thisFile, inNamespace, imageRoot, ...forVitest];
    process.exitCode = await run('unshare', ['--net', '--mount', '--', ...inside], process.env);
  } finally {
    rmSync(imageRoot, { recursive: true, force: true });
  }
} else process.exitCode = skipped();
