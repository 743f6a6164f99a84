/**
 * Plays seeds until one fails, and prints what it found as JSON: `{ "seed": 3, "what": "…" }`, or `{}` where none does.
 * Usage: `first-failure.ts <most seeds> [<peer>]`
 */
import { functionsOf, peers } from './peers.ts';
import { defaultSteps, run } from './run.ts';

const [most = '500', name] = process.argv.slice(2);
const peer = peers.find((one) => one === name);
let found = {};
for (let seed = 1; seed <= Number(most); seed += 1) {
  const [violation] = (await run(seed, defaultSteps, peer && functionsOf(peer))).violations;
  if (violation === undefined) continue;
  found = { seed, what: `${violation.invariant}: ${violation.what}` };
  break;
}
console.log(JSON.stringify(found));
