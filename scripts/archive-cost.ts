/**
 * `node bin/node-24.mjs scripts/archive-cost.ts`: what it costs to put a million items of 1 KB into the archive and to keep them a year, by
 * storage class and layout, as the table of docs/archive.md. `--json` for machines.
 */
import { parseArgs } from 'node:util';
import { costs, costTable } from './archive-costs.ts';
import { measuredLayouts } from './measured-layouts.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const layouts = measuredLayouts();
const table = costs(layouts);
if (values.json) console.log(JSON.stringify({ layouts, costs: table }, null, 2));
else console.log(costTable(table));
