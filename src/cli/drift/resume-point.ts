import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { fromFolder, makeFolder, readIfThere, writeWhole } from '../../dev/archive-folder/files.ts';
import { jsonOrUndefined } from '../../model/parse-json.ts';
import { UsageError } from '../errors.ts';

/** How often a point is written while the work goes on, in milliseconds. */
const often = 1000;

/** Where work has got to, written now and then. */
export interface ResumePoint<State> {
  readonly path: string;
  /** Where to go on; undefined where it begins anew. */
  load(): Promise<State | undefined>;
  /** Writes the state unless another was written within the last second. */
  keep(state: State): Promise<void>;
  keepNow(state: State): Promise<void>;
  clear(): Promise<void>;
}

/**
 * A resume point that is loaded where that is asked for. A process that is killed outright loses a second of its work, and
 * does that again.
 */
export function resumePoint<State>(
  command: string,
  tableName: string,
  schema: z.ZodType<State>,
  identity: WorkIdentity,
  resume: boolean,
): ResumePoint<State> {
  const file: ResumeFile<State> = resumeFile(resumePath(command, tableName), schema, {
    ...identity,
    command,
    table: tableName,
  });
  let keptAt = performance.now();
  let writing: Promise<void> = Promise.resolve();
  function write(state: State): Promise<void> {
    keptAt = performance.now();
    // One after another: a later state is never overwritten by an earlier one.
    writing = writing.then(() => file.save(state));
    return writing;
  }
  return {
    path: file.path,
    load: async () => (resume ? file.load() : undefined),
    keep: async (state) => {
      if (performance.now() - keptAt >= often) await write(state);
    },
    keepNow: write,
    clear: () => file.clear(),
  };
}

/** A point for what is too short to go on with. */
export function noResumePoint<State>(): ResumePoint<State> {
  return {
    path: '',
    load: async () => undefined,
    keep: async () => {},
    keepNow: async () => {},
    clear: async () => {},
  };
}

/** What must be the same for work to go on where it stopped, by names that a person understands. */
export type WorkIdentity = Readonly<Record<string, string>>;

/** Where a long piece of work has got to, kept in a file between one run and the next. */
export interface ResumeFile<State> {
  readonly path: string;
  /** @throws UsageError `usage.resume` where there is none, where it cannot be read, or where it is of other work */
  load(): Promise<State>;
  /** The file is there whole or not at all. */
  save(state: State): Promise<void>;
  /** The work is done: there is nothing to go on with. */
  clear(): Promise<void>;
}

/** Where a command keeps its resume point of work on this table. */
export function resumePath(command: string, tableName: string): string {
  return join('.denorm', `${command}-${tableName.replace(/[^\w.-]+/g, '-')}.resume.json`);
}

export function resumeFile<State>(
  path: string,
  schema: z.ZodType<State>,
  identity: WorkIdentity,
): ResumeFile<State> {
  const whole = z.object({ identity: z.record(z.string(), z.string()), state: schema });
  return {
    path,
    async load() {
      const text = await guarded(path, () => readIfThere(path));
      if (text === undefined)
        throw new UsageError(
          'usage.resume',
          `Expected a resume point in ${path}, found none: leave --resume out, because no run was interrupted here`,
        );
      const kept = whole.safeParse(jsonOrUndefined(text.toString()));
      if (!kept.success)
        throw new UsageError(
          'usage.resume',
          `Expected ${path} to contain a resume point, found something else: delete it, and leave --resume out`,
        );
      for (const name of new Set([...Object.keys(identity), ...Object.keys(kept.data.identity)])) {
        const [then, now] = [kept.data.identity[name] ?? 'none', identity[name] ?? 'none'];
        if (then !== now)
          throw new UsageError(
            'usage.resume',
            `Expected to resume the same work, but ${name} was ${then} then and is ${now} now: use the same options, or leave --resume out`,
          );
      }
      return kept.data.state;
    },
    async save(state) {
      await guarded(path, async () => {
        await makeFolder(dirname(path));
        await writeWhole(path, `${JSON.stringify({ identity, state })}\n`, dirname(path));
      });
    },
    async clear() {
      await guarded(path, () => rm(path, { force: true }));
    },
  };
}

async function guarded<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw fromFolder(error, `keep the resume point in ${path}`);
  }
}
