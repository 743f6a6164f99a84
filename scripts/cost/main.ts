/**
 * `npm run cost`: what a million copy writes of 1 KB cost, by fan-out, by how the copies are found, and by way: the worker
 * with and without a batching window, and the usual handler. Requests are counted, prices are AWS's lists: the table of
 * docs/deploy.md. `--json` for machines, with the requests by kind.
 */
import { parseArgs } from 'node:util';
import { costRows, costTable } from './costs.ts';
import { assumed, busy, quiet } from './counted-runs.ts';
import { prices } from './prices.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const rows = await costRows();
if (values.json) console.log(JSON.stringify({ prices, assumed, busy, quiet, rows }, null, 2));
else console.log(costTable(rows));
