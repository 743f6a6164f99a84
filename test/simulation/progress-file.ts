import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { emptySummary, type Summary } from '../../src/simulator/summary.ts';
import { sourcesIn } from '../anchors/edit.ts';
import type { NotRun } from './coverage.ts';

/** What was played of a long run, which may be stopped and resumed. */
export interface Progress {
  /** A digest of all that is simulated, and that simulates. */
  readonly sources: string;
  readonly seed: number;
  readonly steps: number;
  readonly summary: Summary;
  readonly notRun: NotRun | undefined;
}

export function newProgress(repository: string, { seed, steps }: Pick<Progress, 'seed' | 'steps'>): Progress {
  const hash = createHash('sha256').update(readFileSync(`${repository}/package-lock.json`));
  for (const [file, text] of sourcesIn(repository, ['src', 'test/fixtures', 'test/simulation']))
    hash.update(`${file}\n${text}\n`);
  return { sources: hash.digest('hex'), seed, steps, summary: emptySummary(), notRun: undefined };
}

/** @returns what the file holds, or what begins if there is none. @throws Error if the file is of other sources or options */
export function resumed(file: string, begins: Progress): Progress {
  if (!existsSync(file)) return begins;
  const found: Progress = JSON.parse(readFileSync(file, 'utf8'), (_, value) =>
    Array.isArray(value?.map) ? new Map(value.map) : value,
  );
  if (found.sources !== begins.sources)
    throw new Error(
      `Expected ${file} to be of these sources, found it of others: seeds that were played on another source tree do not count. Delete the file to begin again`,
    );
  if (found.seed !== begins.seed || found.steps !== begins.steps)
    throw new Error(
      `Expected the options that ${file} was begun with, --seed ${found.seed} --steps ${found.steps}, got --seed ${begins.seed} --steps ${begins.steps}: give the same, or delete the file to begin again`,
    );
  return found;
}

/** Whole, or as it was before. Runs that are shown in full are not kept. */
export function keep(file: string, progress: Progress): void {
  mkdirSync(dirname(file), { recursive: true });
  const whole = { ...progress, summary: { ...progress.summary, failures: [] } };
  const text = JSON.stringify(whole, (_, value) => (value instanceof Map ? { map: [...value] } : value));
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}
