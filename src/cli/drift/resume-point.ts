import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { fromFolder, makeFolder, readIfThere, writeWhole } from '../../develop/dev/archive-folder/files.ts';
import { jsonFault, jsonOrUndefined } from '../../model/parse-json.ts';
import { UsageError } from '../errors.ts';

/** Minimum time between two writes of a resume point, in milliseconds. */
const often = 1000;

/** The saved progress of a command. */
export interface ResumePoint<State> {
  readonly path: string;
  /** Returns the saved state, or undefined to start from the beginning. */
  load(): Promise<State | undefined>;
  /** Writes the state, at most once a second. */
  keep(state: State): Promise<void>;
  keepNow(state: State): Promise<void>;
  clear(): Promise<void>;
}

/**
 * A resume point that is loaded only with `--resume`. A killed process repeats at most about a second of
 * work.
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
    // Writes run one after another, so that an earlier state never overwrites a later one.
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

/** Properties that must be the same to resume the work, with readable names for messages. */
export type WorkIdentity = Readonly<Record<string, string>>;

/** A file that keeps the progress of long-running work between runs. */
export interface ResumeFile<State> {
  readonly path: string;
  /** @throws UsageError `usage.resume` if the file is missing, unreadable, or from different work */
  load(): Promise<State>;
  /** Writes the file atomically. */
  save(state: State): Promise<void>;
  /** Deletes the file when the work is complete. */
  clear(): Promise<void>;
}

/** The path of a command's resume file for this table. */
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
      if (!kept.success) {
        const fault = jsonFault(text.toString());
        const found = fault === undefined ? 'something else' : `no JSON from ${fault} on`;
        throw new UsageError(
          'usage.resume',
          `Expected ${path} to contain a resume point, found ${found}: delete it, and leave --resume out`,
        );
      }
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
