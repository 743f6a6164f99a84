/**
 * `npm run bench`: what updating the 1,000 copies of a root costs, in three ways, on the same stub DynamoDB, in one run.
 *
 *   --rounds 5                         rounds of each way that count
 *   --seconds 1                        how long a round lasts, at least one run of the work
 *   --way handler --way usual-50       these ways only
 *   --json                             for machines
 *
 * Copies a second depend on the machine and on what else it does. CPU time depends on it less, and ratios least.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { measure, startStub } from './measure.ts';
import { tableOf } from './results.ts';
import { wayName, wayNames } from './ways/index.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    way: { type: 'string', multiple: true },
    json: { type: 'boolean', default: false },
  },
});
const rounds = z.coerce.number().int().min(1).parse(values.rounds);
const seconds = z.coerce.number().positive().parse(values.seconds);
const ways = z.array(wayName).parse(values.way ?? [...wayNames]);

const stub = await startStub();
const results = await measure(stub, ways, { rounds, seconds });
stub.close();
const load = loadavg().map((average) => average.toFixed(1));
if (values.json) console.log(JSON.stringify({ rounds, load, results }, null, 2));
else
  console.log(
    `${tableOf(results)}\n\nMedian of ${rounds} rounds (least to most). Load of the machine: ${load.join(', ')}.`,
  );
