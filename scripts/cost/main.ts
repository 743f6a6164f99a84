/**
 * `npm run cost`: what a million copy writes of 1 KB cost, by fan-out, by how the copies are found, and by way: the worker
 * with and without a batching window, and the usual handler. `denorm cost` counts the same way, for the rules of any
 * project; this is the table of docs/deploy.md, with changes that come often too. `--json` for machines, with the requests
 * by kind.
 */
import { parseArgs } from 'node:util';
import { assumed } from '../../src/cost/assumptions.ts';
import { prices } from '../../src/cost/prices.ts';
import { costRows, costTable, loads } from './costs.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const rows = await costRows();
if (values.json) console.log(JSON.stringify({ prices, assumed, ...loads, rows }, null, 2));
else console.log(costTable(rows));
