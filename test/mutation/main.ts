/**
 * `npm run mutate`: changes the source in many small wrong ways and plays the unit tests and 50 seeds of the simulator
 * with each, to see whether they notice. Exits 1 where they notice too few, 2 on wrong use. docs/proofs.md says more.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { sourcesIn } from '../anchors/edit.ts';
import { changedFiles } from './changed-files.ts';
import { mutatedFolders } from './folders.ts';
import { type InstrumentedCopy, instrumentedCopy } from './instrumented-copy.ts';
import { judgeAll, surveyOf } from './mutate.ts';
import { clearProgress, showProgress } from './progress.ts';
import { isEnough, scoreLine, scoresOf, scoreTable, type Threshold } from './score.ts';
import { compare, survivorsText } from './survivors.ts';
import { readWish, type Wish } from './wish.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

const folders = mutatedFolders.map((name) => `src/${name}`);

const thresholds: readonly Threshold[] = [
  { folder: 'src/worker/propagation/plan', percent: 90 },
  ...folders.map((folder) => ({ folder, percent: 80 })),
];

/** What fails without a mutant is shown up to so many. */
const maxShown = 10;

async function mutate(wish: Wish, copy: InstrumentedCopy): Promise<boolean> {
  const effort = { ...wish, until: wish.minutes * 60_000 };
  console.log(`${copy.mutants.length} mutants; first, everything is played without any`);
  const survey = await surveyOf(copy.folder, effort);
  for (const why of survey.leftOut) console.log(`left out: ${why}`);
  if (survey.failing.length > 0) {
    console.error(`Expected everything to pass without a mutant, found ${survey.failing.length} that fail:`);
    console.error(survey.failing.slice(0, maxShown).join('\n'));
    return false;
  }
  console.log(`${survey.cases.length - wish.seeds} tests, ${wish.seeds} seeds of the simulator`);
  const judged = await judgeAll(copy, survey, effort, (done) => showProgress(done, copy.mutants.length));
  clearProgress();
  const list = readFileSync(new URL('survivors.md', import.meta.url), 'utf8');
  console.log(survivorsText(compare(judged, list, sourcesIn(repository, ['src']))));
  const scores = scoresOf(thresholds, judged);
  console.log(scoreTable(scores, judged));
  console.log(`${Math.round(performance.now() / 1000)} s`);
  console.log(scoreLine(scores));
  return isEnough(scores);
}

/** Which files may be mutated; undefined for all. */
function changedOnly(wish: Wish): readonly string[] | undefined | Error {
  if (!wish.changed) return undefined;
  const comparison = changedFiles(repository, wish.since);
  if (comparison !== undefined) {
    console.log(`What differs from ${comparison.ref.slice(0, 10)} is mutated`);
    return comparison.files;
  }
  if (wish.since !== undefined)
    return new Error(`Expected --since to be a commit of this repository, got '${wish.since}'`);
  console.log('There is no commit to compare with: everything counts as unchanged');
  return [];
}

async function main(wish: Wish, changed: readonly string[] | undefined): Promise<void> {
  const copy = await instrumentedCopy(
    repository,
    folders,
    (file) => (changed?.includes(file) ?? true) && wish.only.split(',').some((part) => file.includes(part)),
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      copy.remove();
      process.exit(128 + constants.signals[signal]);
    });
  try {
    if (copy.mutants.length > 0) process.exitCode = (await mutate(wish, copy)) ? 0 : 1;
    else console.log(`Nothing to mutate: 0 mutants\n${scoreLine(scoresOf(thresholds, []))}`);
  } finally {
    copy.remove();
  }
}

const wish = readWish(process.argv.slice(2), availableParallelism());
const changed = typeof wish === 'string' ? new Error(wish) : changedOnly(wish);
if (typeof wish === 'string' || changed instanceof Error) {
  console.error(changed instanceof Error ? changed.message : wish);
  process.exitCode = 2;
} else await main(wish, changed);
