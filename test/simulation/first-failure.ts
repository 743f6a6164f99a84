/**
 * Plays seeds until one fails, and prints what it found as JSON: `{ "seed": 3, "what": "…" }`, or `{}` where none does;
 * where it is to be shrunk, with `steps`, the number of those that matter. Usage:
 * `first-failure.ts <most seeds> [--shrink] [--applications | --catalogue | --tournament] [<peer>]`
 */

import { defaultSteps, run } from '../../src/develop/testing/simulation/run.ts';
import { shrink } from '../../src/develop/testing/simulation/shrink.ts';
import { functionsOf, peers } from './peers.ts';
import { scenario, worlds } from './scenario.ts';

const [most = '500', ...wishes] = process.argv.slice(2);
const peer = peers.find((one) => wishes.includes(one));
const plays = Object.entries(worlds).find(([name]) => wishes.includes(`--${name}`))?.[1] ?? scenario;
let found = {};
for (let seed = 1; seed <= Number(most); seed += 1) {
  const outcome = await run(plays, seed, defaultSteps, peer && functionsOf(peer));
  const [violation] = outcome.violations;
  if (violation === undefined) continue;
  found = { seed, what: `${violation.invariant}: ${violation.what}` };
  if (wishes.includes('--shrink')) {
    const { steps } = await shrink(plays, outcome, peer && functionsOf(peer));
    found = { ...found, steps: steps.length };
  }
  break;
}
console.log(JSON.stringify(found));
