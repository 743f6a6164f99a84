/**
 * Plays seeds until one fails, and prints what it found as JSON: `{ "seed": 3, "what": "…" }`, or `{}` if none does. Usage:
 * `first-failure.ts <most seeds> <world, or everything>`. With `every schedule <faults> <small world>` instead, it gives the shortest
 * schedule that fails.
 */

import { explore } from '../../src/simulator/exhaustive/explore.ts';
import { run } from '../../src/simulator/run.ts';
import { stepText } from '../../src/simulator/world/step.ts';
import { shown } from '../../src/testing/plain-values.ts';
import { scenario, smallWorldsOf, worlds } from './scenario.ts';

const [most = '500', played, named] = process.argv.slice(2);
if (most === 'every schedule') {
  const small = smallWorldsOf().find(({ name }) => name === named);
  const { violation } = small ? await explore({ ...small, faults: Number(played) }) : {};
  const [first] = violation?.violations ?? [];
  const trace = violation?.steps.map((step) => stepText(step, (item) => shown({ M: item })));
  console.log(JSON.stringify(first ? { seed: 0, what: `${first.invariant}: ${first.what}`, trace } : {}));
  process.exit(0);
}
const plays = Object.entries(worlds).find(([name]) => name === played)?.[1] ?? scenario;
let found = {};
for (let seed = 1; seed <= Number(most) && !('seed' in found); seed += 1) {
  const [violation] = (await run(plays, seed)).violations;
  if (violation !== undefined) found = { seed, what: `${violation.invariant}: ${violation.what}` };
}
console.log(JSON.stringify(found));
