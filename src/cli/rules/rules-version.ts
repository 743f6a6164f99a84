import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Registry } from '../../model/registry.ts';
import { UsageError } from '../errors.ts';
import { loadProject } from '../project.ts';

const run = promisify(execFile);

/**
 * Loads the rules of a config, disabled ones included.
 * @param called the name of the version in messages
 * @throws UsageError `usage.rules` if they do not load
 */
export async function rulesIn(file: string, called: string): Promise<Registry> {
  const refusal = (why: string, cause?: unknown) =>
    new UsageError('usage.rules', `Expected the rules of ${called} to load, but ${why}`, { cause });
  if (!existsSync(file)) throw refusal(`${basename(file)} is missing`);
  try {
    return (await loadProject(file)).config.registry({ disabled: [] });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw refusal(`they do not: ${why}`, error);
  }
}

/**
 * Copies the source code of a git ref to a temporary folder that shares this working tree's packages. Does
 * not change the repository.
 * @throws UsageError `usage.git` or `usage.ref`
 */
export async function checkedOut(root: string, ref: string) {
  const commit = await commitOf(root, ref);
  const folder = await mkdtemp(join(tmpdir(), 'denorm-rules-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'sources.tar');
    await run('git', ['-C', root, 'archive', '--format=tar', `--output=${archive}`, commit]);
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    const packages = join(folder, 'node_modules');
    if (!existsSync(packages)) await symlink(join(root, 'node_modules'), packages, 'junction');
    return { commit, folder, remove };
  } catch (cause) {
    await remove();
    const message = `Expected git and tar to extract the sources of ${ref}, but they failed: check that both are installed`;
    throw new UsageError('usage.git', message, { cause });
  }
}

async function commitOf(root: string, ref: string): Promise<string> {
  const git = (...args: string[]) => run('git', ['-C', root, 'rev-parse', ...args]);
  const refusal = (code: string, message: string) => (cause: unknown) => {
    throw new UsageError(code, message, { cause });
  };
  const outside = `Expected ${root} to be in a git repository, to compare its rules with ${ref}: check that, and that git is installed`;
  const unknown = `Expected a branch, a tag or a commit of this repository, got '${ref}', which git does not know: fetch it first, or name another`;
  await git('--git-dir').catch(refusal('usage.git', outside));
  return git('--verify', '--quiet', '--end-of-options', `${ref}^{commit}`).then(
    ({ stdout }) => stdout.trim(),
    refusal('usage.ref', unknown),
  );
}
