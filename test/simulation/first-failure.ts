/**
 * Plays seeds until one fails, and prints what it found as JSON: `{ "seed": 3, "what": "…" }`, or `{}` if none does. Usage:
 * `first-failure.ts <most seeds> <world, or everything> [<peer>]`
 */

import { defaultSteps, run } from '../../src/develop/testing/simulation/run.ts';
import { functionsOf, peers } from './peers.ts';
import { scenario, worlds } from './scenario.ts';

const [most = '500', played, named] = process.argv.slice(2);
const peer = peers.find((one) => one === named);
const plays = Object.entries(worlds).find(([name]) => name === played)?.[1] ?? scenario;
let found = {};
for (let seed = 1; seed <= Number(most) && !('seed' in found); seed += 1) {
  const [violation] = (await run(plays, seed, defaultSteps, peer && functionsOf(peer))).violations;
  if (violation !== undefined) found = { seed, what: `${violation.invariant}: ${violation.what}` };
}
console.log(JSON.stringify(found));
