import { parseArgs } from 'node:util';

/** What the command line asks for. */
export interface Wish {
  /** Whether only files that differ from a commit are mutated. */
  readonly changed: boolean;
  readonly since: string | undefined;
  /** Parts of files' paths, with commas between: only such files are mutated. */
  readonly only: string;
  /** When to stop, in minutes. */
  readonly minutes: number;
  readonly seeds: number;
  readonly workers: number;
}

/** Minutes that changed files may take, unless said otherwise: with what is under way then, less than ten. */
const minutesForChanges = 9;

/** Reads the command line, or says what is wrong with it. */
export function readWish(args: readonly string[], workers: number): Wish | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        changed: { type: 'boolean', default: false },
        since: { type: 'string' },
        only: { type: 'string', default: '' },
        minutes: { type: 'string' },
        seeds: { type: 'string', default: '50' },
        workers: { type: 'string', default: String(workers) },
      },
    });
    const changed = values.changed || values.since !== undefined;
    const preset = changed ? minutesForChanges : Number.POSITIVE_INFINITY;
    const wish = {
      changed,
      since: values.since,
      only: values.only,
      minutes: values.minutes === undefined ? preset : Number(values.minutes),
      seeds: Number(values.seeds),
      workers: Number(values.workers),
    };
    for (const name of ['seeds', 'workers'] as const)
      if (!Number.isSafeInteger(wish[name]) || wish[name] < 1)
        return `Expected --${name} to be a whole number from 1 up, got '${values[name]}'`;
    return wish.minutes > 0 ? wish : `Expected --minutes to be a number above 0, got '${values.minutes}'`;
  } catch (error) {
    return `Expected --changed, --since, --only, --minutes, --seeds and --workers only: ${error instanceof Error ? error.message : error}`;
  }
}
