import { execFileSync } from 'node:child_process';

/** What a copy of the repository differs from. */
export interface Comparison {
  /** The commit that it is compared with. */
  readonly ref: string;
  /** Files that differ from there, those that are not committed yet included. */
  readonly files: readonly string[];
}

/**
 * The files that differ from `since`, or else from where this branch left origin/main, or else from the commit before.
 * Undefined where there is no such commit: a clone without history, or a folder that is none.
 */
export function changedFiles(repository: string, since?: string): Comparison | undefined {
  const git = (...args: readonly string[]) => ask(repository, args);
  const ref =
    since === undefined
      ? (branchPoint(git) ?? git('rev-parse', '--verify', '--quiet', 'HEAD~1^{commit}'))
      : git('rev-parse', '--verify', '--quiet', `${since}^{commit}`);
  if (ref === undefined) return undefined;
  const differing = git('diff', '--name-only', '--no-renames', '--relative', ref);
  const added = git('ls-files', '--others', '--exclude-standard');
  if (differing === undefined || added === undefined) return undefined;
  return { ref, files: [...linesOf(differing), ...linesOf(added)] };
}

/** Where this branch left origin/main; undefined where it is origin/main, or where there is none. */
function branchPoint(git: (...args: readonly string[]) => string | undefined): string | undefined {
  const point = git('merge-base', 'HEAD', 'origin/main');
  return point === git('rev-parse', 'HEAD') ? undefined : point;
}

function ask(repository: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, {
      cwd: repository,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
