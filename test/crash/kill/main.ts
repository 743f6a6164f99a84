/**
 * `node bin/node-24.mjs test/crash/kill/main.ts --rounds N --seed S`: rounds in which `denorm dev --db-path` is killed outright at random moments
 * while applications write. Round 1 has the seed S, round 2 the seed S + 1: a round that failed is played again by its
 * own. Ends with `N passed, N failed`; exits 1 where a round failed, 2 on wrong use.
 */
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { killRound } from './round.ts';

/** Rounds side by side: each waits for most of its time. */
const sideBySide = 2;

interface Wish {
  readonly rounds: number;
  readonly seed: number;
}

function readWish(): Wish | string {
  try {
    const { values } = parseArgs({
      options: { rounds: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
    });
    const wish = { rounds: Number(values.rounds), seed: Number(values.seed) };
    for (const name of ['rounds', 'seed'] as const)
      if (!Number.isSafeInteger(wish[name]) || wish[name] < 1)
        return `Expected --${name} to be a whole number from 1 up, got '${values[name]}'`;
    return wish;
  } catch (error) {
    return `Expected --rounds and --seed only: ${error instanceof Error ? error.message : error}`;
  }
}

async function play(seed: number): Promise<boolean> {
  try {
    const { kills, acknowledged, unanswered, milliseconds, wrong } = await killRound(seed);
    console.log(
      `${wrong.length === 0 ? 'passed' : 'FAILED'}  seed ${seed}: killed ${kills} times, ${acknowledged} writes ` +
        `acknowledged, ${unanswered} without an answer, ${milliseconds} ms`,
    );
    for (const one of wrong) console.log(`  ${one}`);
    if (wrong.length > 0)
      console.log(`  again: node bin/node-24.mjs test/crash/kill/main.ts --rounds 1 --seed ${seed}`);
    return wrong.length === 0;
  } catch (error) {
    console.log(`FAILED  seed ${seed}: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

const wish = readWish();
if (typeof wish === 'string') {
  console.error(wish);
  process.exitCode = 2;
} else {
  const limit = pLimit(sideBySide);
  const seeds = Array.from({ length: wish.rounds }, (_, index) => wish.seed + index);
  const passed = (await Promise.all(seeds.map((seed) => limit(() => play(seed))))).filter(Boolean).length;
  console.log(`${passed} passed, ${wish.rounds - passed} failed`);
  process.exitCode = passed === wish.rounds ? 0 : 1;
}
