import { execFileSync } from 'node:child_process';

/**
 * The files that differ from where this branch left origin/main, or else from the commit before, those that are not committed yet
 * included. Undefined if there is no such commit: a clone without history, or a folder that is no repository.
 */
export function changedFiles(repository: string): readonly string[] | undefined {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const orElse = (run: () => string, otherwise: () => string): string => {
    try {
      return run();
    } catch {
      return otherwise();
    }
  };
  try {
    const before = () => git('rev-parse', '--verify', 'HEAD~1');
    const point = orElse(() => git('merge-base', 'HEAD', 'origin/main'), before);
    const from = point === git('rev-parse', 'HEAD') ? before() : point;
    const changed = git('diff', '--name-only', '--no-renames', '--relative', from);
    return [...changed.split('\n'), ...git('ls-files', '--others', '--exclude-standard').split('\n')].filter(
      Boolean,
    );
  } catch {
    return undefined;
  }
}
