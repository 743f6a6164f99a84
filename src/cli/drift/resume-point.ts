import type * as z from 'zod';
import { type ResumeFile, resumeFile, resumePath, type WorkIdentity } from '../options/resume-file.ts';

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
