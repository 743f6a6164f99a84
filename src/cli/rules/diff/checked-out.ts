import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../errors.ts';

const run = promisify(execFile);

/** A folder with the sources of one commit. */
export interface CheckedOut {
  readonly commit: string;
  readonly folder: string;
  remove(): Promise<void>;
}

/**
 * The sources as they are at a git ref, in a folder of their own, with the packages of this working tree. Git is only
 * asked, nothing is left in the repository.
 * @param root the working tree
 * @throws UsageError `usage.git`, `usage.ref` in one sentence where they cannot be had
 */
export async function checkedOut(root: string, ref: string): Promise<CheckedOut> {
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
  } catch (error) {
    await remove();
    throw new UsageError(
      'usage.git',
      `Expected git and tar to bring out the sources of ${ref}, but they did not`,
      {
        cause: error,
      },
    );
  }
}

async function commitOf(root: string, ref: string): Promise<string> {
  try {
    await run('git', ['-C', root, 'rev-parse', '--git-dir']);
  } catch (error) {
    throw new UsageError(
      'usage.git',
      `Expected ${root} to be in a git repository, and git to be installed, to compare rules with ${ref}: one of them is not so`,
      { cause: error },
    );
  }
  try {
    const asked = ['-C', root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return (await run('git', asked)).stdout.trim();
  } catch (error) {
    throw new UsageError(
      'usage.ref',
      `Expected a branch, a tag or a commit of this repository, got '${ref}', which git does not know: fetch it first, or name another`,
      { cause: error },
    );
  }
}
