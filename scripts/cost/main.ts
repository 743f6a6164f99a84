/**
 * `npm run cost`: the tables of docs/deploy.md, and below them that of docs/aggregates.md. The first is what `denorm cost` counts for the rules of this repository; the
 * second what a million copy writes of 1 KB cost, by fan-out, by how the copies are found, and by way: the worker
 * with and without a batching window, and the usual handler. `--json` prints the second for machines, with the requests by
 * kind.
 */
import { parseArgs } from 'node:util';
import { assumed } from '../../src/develop/cost/assumptions.ts';
import { prices } from '../../src/develop/cost/prices.ts';
import { aggregateCosts, aggregateCostTable } from './aggregate-costs.ts';
import { costRows, costTable, load } from './costs.ts';
import { renameSentence, ruleCosts, ruleCostTable } from './rule-costs.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
if (values.json) console.log(JSON.stringify({ prices, assumed, load, rows: await costRows() }, null, 2));
else {
  const costs = await ruleCosts();
  const tables = [
    ruleCostTable(costs),
    costTable(await costRows()),
    aggregateCostTable(await aggregateCosts()),
  ];
  console.log([...tables, `${renameSentence(costs)}.`].join('\n\n'));
}
