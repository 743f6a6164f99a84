/**
 * `node bin/node-24.mjs bench/pace/main.ts`: a fan-out that paces itself, and the same without a pace, on a stub partition that takes 1,000 write
 * units a second, beside an application that writes 150 into it. Exits 1 if the paced one misses a target.
 *
 *   --copies 20000
 *   --ceiling 800      write units a second of the paced one
 *   --json             for machines
 */
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { applicationUnits, type FanOutResult, measureFanOut } from './fan-out.ts';
import { unitsPerSecond } from './partition.ts';

const { values } = parseArgs({
  options: {
    copies: { type: 'string', default: '20000' },
    ceiling: { type: 'string', default: '800' },
    json: { type: 'boolean', default: false },
  },
});
const copies = z.coerce.number().int().min(1).parse(values.copies);
const ceiling = z.coerce.number().int().min(25).parse(values.ceiling);

/** The targets, as shares. */
const targets = { ofCeiling: 0.95, throttled: 0.02, applicationThrottled: 0.01 };

const paced = sharesOf(await measureFanOut(copies, ceiling));
const unpaced = sharesOf(await measureFanOut(copies, Number.POSITIVE_INFINITY));
const met =
  paced.ofCeiling >= targets.ofCeiling &&
  paced.throttledShare <= targets.throttled &&
  paced.applicationThrottledShare < targets.applicationThrottled;
if (values.json) console.log(JSON.stringify({ ceiling, targets, met, paced, unpaced }, null, 2));
else print();
process.exitCode = met ? 0 : 1;

function sharesOf(result: FanOutResult) {
  return {
    ...result,
    ofCeiling: result.rate / ceiling,
    throttledShare: result.throttled / result.statements,
    applicationThrottledShare: result.applicationThrottled / result.applicationWrites,
  };
}

function print(): void {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const rows: readonly (readonly [string, (shares: typeof paced) => string, string])[] = [
    ['copies a second', ({ rate }) => rate.toFixed(0), ''],
    ['of the ceiling', ({ ofCeiling }) => percent(ofCeiling), `at least ${percent(targets.ofCeiling)}`],
    ['statements', ({ statements }) => statements.toLocaleString('en-US'), ''],
    [
      'statements throttled',
      ({ throttledShare }) => percent(throttledShare),
      `at most ${percent(targets.throttled)}`,
    ],
    [
      "the application's writes throttled",
      ({ applicationThrottledShare }) => percent(applicationThrottledShare),
      `less than ${percent(targets.applicationThrottled)}`,
    ],
    ['invocations', ({ invocations }) => String(invocations), ''],
    ['seconds of invocations', ({ invocationSeconds }) => invocationSeconds.toFixed(1), ''],
  ];
  console.log(
    `${copies.toLocaleString('en-US')} copies of one root, in a partition that takes ${unitsPerSecond} write units a second,\n` +
      `beside an application that writes ${applicationUnits} a second:\n`,
  );
  console.log(`| | paced, ${ceiling} a second | not paced | target |\n| --- | --: | --: | --: |`);
  for (const [what, of, target] of rows)
    console.log(`| ${what} | ${of(paced)} | ${of(unpaced)} | ${target} |`);
}
