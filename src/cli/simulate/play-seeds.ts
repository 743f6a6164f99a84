import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playOnThreads, type SeedsWanted } from '../../develop/testing/simulation/play-on-threads.ts';
import type { Summary } from '../../develop/testing/simulation/summary.ts';
import type { RuleSettings } from '../../model/config.ts';

/** Failing seeds after which no others are played: a wrong rule fails in most of them. */
export const maxFailures = 3;

export interface ProjectSeeds extends SeedsWanted {
  /** The config file of the project, and the settings of its rules. */
  readonly file: string;
  readonly settings: RuleSettings;
}

/** Plays seeds on a project's rules, until all are played, the time is up, enough have failed, or somebody stops it. */
export function playSeeds(
  { file, settings, ...wanted }: ProjectSeeds,
  on: { readonly progress: (seeds: number) => void; readonly stopped: () => boolean },
): Promise<Summary> {
  return playOnThreads(wanted, {
    // Beside this file, compiled or not.
    module: new URL(`./share-worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
    data: { file, settings },
    shareSize: 10,
    enough: ({ failures }) => on.stopped() || failures.length >= maxFailures,
    shows: () => true,
    reported: (_, { seeds }) => on.progress(seeds),
  });
}
