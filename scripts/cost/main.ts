/**
 * `npm run cost`: the tables of docs/deploy.md. The first is what `denorm cost` counts for the rules of this repository; the
 * second what a million copy writes of 1 KB cost, by fan-out, by how the copies are found, by load, and by way: the worker
 * with and without a batching window, and the usual handler. `--json` prints the second for machines, with the requests by
 * kind.
 */
import { parseArgs } from 'node:util';
import { assumed } from '../../src/cost/assumptions.ts';
import { prices } from '../../src/cost/prices.ts';
import { costRows, costTable, loads } from './costs.ts';
import { renameSentence, ruleCosts, ruleCostTable } from './rule-costs.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
if (values.json) console.log(JSON.stringify({ prices, assumed, ...loads, rows: await costRows() }, null, 2));
else {
  const costs = await ruleCosts();
  console.log([ruleCostTable(costs), costTable(await costRows()), `${renameSentence(costs)}.`].join('\n\n'));
}
