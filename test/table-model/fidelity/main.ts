/**
 * `npm run fidelity -- --operations N --seed S [--endpoint URL | --ministack]`: compares the model of the table with a
 * server on this machine, in batches of 1,000 operations, each on a new table, and on a new embedded server where no
 * other is named: it slows down as it ages. Ends with `N passed, N failed`, which are batches; exits 1 where the two
 * differ, 2 on wrong use.
 */
import { parseArgs } from 'node:util';
import { loopbackClientSettings } from '../../../src/develop/dev/loopback.ts';
import { startEmbeddedTableServer } from '../../../src/develop/dev/table/embedded-table-server.ts';
import { type BatchOutcome, compareBatch, type Leniency } from './compare.ts';
import { startMiniStack } from './ministack.ts';

const batchSize = 1_000;

const embedded: Leniency = { looseStatements: false };
const ministack: Leniency = { looseStatements: true };

interface Wish {
  readonly operations: number;
  readonly seed: number;
  readonly endpoint: string | undefined;
  readonly ministack: boolean;
}

function readWish(): Wish | string {
  try {
    const { values } = parseArgs({
      options: {
        operations: { type: 'string', default: '20000' },
        seed: { type: 'string', default: '1' },
        endpoint: { type: 'string' },
        ministack: { type: 'boolean', default: false },
      },
    });
    const { ministack } = values;
    const endpoint =
      values.endpoint ?? (ministack ? undefined : process.env['DENORM_TEST_DYNAMODB_ENDPOINT']);
    const wish = { operations: Number(values.operations), seed: Number(values.seed), endpoint, ministack };
    for (const name of ['operations', 'seed'] as const)
      if (!Number.isSafeInteger(wish[name]) || wish[name] < 1)
        return `Expected --${name} to be a whole number from 1 up, got '${values[name]}'`;
    if (ministack && endpoint !== undefined) return 'Expected --endpoint or --ministack, got both';
    if (endpoint !== undefined) loopbackClientSettings(endpoint);
    return wish;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function compareAll({ operations, seed, ...where }: Wish): Promise<BatchOutcome[]> {
  const outcomes: BatchOutcome[] = [];
  const started = where.ministack ? await startMiniStack() : undefined;
  const endpoint = started?.endpoint ?? where.endpoint;
  const leniency = where.ministack ? ministack : embedded;
  try {
    for (let done = 0; done < operations; done += batchSize) {
      const size = Math.min(batchSize, operations - done);
      const outcome = await compareOne(endpoint, seed + outcomes.length, size, leniency);
      show(outcome);
      outcomes.push(outcome);
    }
  } finally {
    await started?.stop();
  }
  return outcomes;
}

async function compareOne(
  endpoint: string | undefined,
  seed: number,
  size: number,
  leniency: Leniency,
): Promise<BatchOutcome> {
  const server = endpoint === undefined ? await startEmbeddedTableServer() : undefined;
  try {
    return await compareBatch(endpoint ?? server?.endpoint ?? '', seed, size, leniency);
  } finally {
    await server?.stop();
  }
}

function show({ seed, operations, records, idleRecords, differences }: BatchOutcome): void {
  console.log(
    `${differences.length === 0 ? 'passed' : 'FAILED'}  seed ${seed}: ${operations} operations, ${records} changes on ` +
      `the stream${idleRecords > 0 ? `, and ${idleRecords} records of no change` : ''}`,
  );
  for (const one of differences) console.log(one);
  if (differences.length > 0)
    console.log(`again: npm run fidelity -- --operations ${batchSize} --seed ${seed}, on the same server`);
}

function showAnswers(outcomes: readonly BatchOutcome[]): void {
  const all = new Map<string, number>();
  for (const { answers } of outcomes)
    for (const [kind, count] of answers) all.set(kind, (all.get(kind) ?? 0) + count);
  console.log(
    [...all]
      .sort()
      .map(([kind, count]) => `${kind}: ${count}`)
      .join(', '),
  );
}

const wish = readWish();
if (typeof wish === 'string') {
  console.error(wish);
  process.exitCode = 2;
} else {
  const outcomes = await compareAll(wish);
  showAnswers(outcomes);
  const passed = outcomes.filter(({ differences }) => differences.length === 0).length;
  console.log(`${passed} passed, ${outcomes.length - passed} failed`);
  process.exitCode = passed === outcomes.length ? 0 : 1;
}
