import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { Folder } from '../../dev/folder.ts';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { UsageError } from '../errors.ts';

/** The minimum time between two writes of a resume point: a killed process repeats about a second of work. */
const intervalMs = 1000;

/** Properties that must be the same to resume the work, with readable names for messages. */
type WorkIdentity = Readonly<Record<string, string>>;

export function resumePath(stateDir: string, command: string, tableName: string): string {
  return join(stateDir, `${command}-${tableName.replace(/[^\w.-]+/g, '-')}.resume.json`);
}

export function resumePoint<State>(path: string, schema: z.ZodType<State>, identity: WorkIdentity) {
  const whole = z.object({ identity: z.record(z.string(), z.string()), state: schema });
  const [folder, name] = [new Folder(dirname(path)), basename(path)];
  let keptAt = performance.now();
  let isKept = false;
  let writing: Promise<void> = Promise.resolve();
  async function keepNow(state: State): Promise<void> {
    keptAt = performance.now();
    // Writes run one after another, so that an earlier state never overwrites a later one.
    const written = writing.then(() => folder.write(name, `${JSON.stringify({ identity, state })}\n`));
    writing = written.catch(() => {});
    await written;
    isKept = true;
  }
  return {
    path,
    /** Whether the file has a state of this work, written or loaded. */
    get isKept() {
      return isKept;
    },
    /** @throws UsageError `usage.resume` if the file is missing, unreadable, or from different work */
    async load(): Promise<State> {
      const text = (await folder.read(name))?.toString();
      if (text === undefined)
        throw resumeError(
          `Expected a resume point in ${path}, found none: leave --resume out, because no run was interrupted here`,
        );
      const kept = whole.safeParse(jsonOrUndefined(text));
      if (!kept.success)
        throw resumeError(
          `Expected ${path} to contain a resume point, found something else: delete it, and leave --resume out`,
        );
      refuseOther(kept.data.identity, identity);
      isKept = true;
      return kept.data.state;
    },
    /** Writes the file atomically, at most once a second. */
    async keep(state: State): Promise<void> {
      if (performance.now() - keptAt >= intervalMs) await keepNow(state);
    },
    keepNow,
    clear: () => folder.remove(name),
  };
}

function refuseOther(kept: WorkIdentity, identity: WorkIdentity): void {
  for (const name of new Set([...Object.keys(identity), ...Object.keys(kept)])) {
    const [then, now] = [kept[name] ?? 'none', identity[name] ?? 'none'];
    if (then !== now)
      throw resumeError(
        `Expected to resume the same work, but ${name} was ${then} then and is ${now} now: use the same options, or leave --resume out`,
      );
  }
}

function resumeError(message: string): UsageError {
  return new UsageError('usage.resume', message);
}
