/**
 * `node bin/node-24.mjs bench/ledger/main.ts`: members of one target that are posted to a ledger, on stub partitions that take 1,000 write
 * units a second, by four lanes side by side. Prints a table. The computation of the target, which has a partition of its own, is left out.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../../src/model/work/message.ts';
import { table } from '../../src/table.ts';
import { itemOf } from '../../src/testing/plain-values.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import { itemToSdk } from '../../src/worker/adapters/dynamodb/table-access.ts';
import { defaultSettings, type QueuePort, silentTelemetry } from '../../src/worker/ports.ts';
import { fanOutBatch } from '../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { likes } from '../../test/simulation/likes-rules.ts';
import { StubLedger } from './stub.ts';

const lanes = 4;
/** How long changes come, in seconds. */
const duration = 5;

const like = (pk: string) => itemOf({ PK: pk, SK: 'LIKE', Type: 'Like', Post: '1', Weight: 1 });

/** @param batch changes that a lane gets at once */
async function measure(shards: number, batch: number) {
  const stub = new StubLedger(({ PK }) => (PK?.S?.startsWith('LIKE#') ? itemToSdk(like(PK.S)) : undefined));
  const delivered: Promise<void>[] = [];
  const counts = { sent: 0, deadLettered: 0, requeued: 0 };
  const queue: QueuePort = {
    async send(messages, delaySeconds = 0) {
      counts.requeued += messages.length;
      for (const one of messages) delivered.push(deliver(one, delaySeconds));
    },
    async deadLetter(letters) {
      counts.deadLettered += letters.length;
    },
  };
  const context = {
    registry: likes(shards),
    queue,
    telemetry: silentTelemetry,
    settings: defaultSettings,
    table: dynamoDbTable({ client: stub, tableName: 'app', table }),
    outOfTime: () => false,
    clock: { now: () => Date.now(), sleep: async (time: number) => void (await sleep(time)) },
  };

  async function deliver(message: Message, delaySeconds: number): Promise<void> {
    await sleep(delaySeconds * 1000);
    await fanOutBatch(context, [{ id: 'm', body: JSON.stringify(message) }]);
  }

  async function runLane(): Promise<void> {
    while (performance.now() - begun < duration * 1000) {
      const records = Array.from({ length: batch }, () => {
        counts.sent += 1;
        const pk = `LIKE#${counts.sent}`;
        const change = { before: undefined, after: like(pk), sequence: BigInt(counts.sent), expired: false };
        return { id: pk, parsed: { key: { pk, sk: 'LIKE' }, ...change, at: Date.now() } };
      });
      const failed = await propagateBatch(context, records);
      if (failed.size > 0) throw new Error('Expected every record to succeed');
    }
  }

  const begun = performance.now();
  await Promise.all(Array.from({ length: lanes }, runLane));
  for (let next = delivered.shift(); next !== undefined; next = delivered.shift()) await next;
  const seconds = (performance.now() - begun) / 1000;
  if (stub.counts.entries !== counts.sent)
    throw new Error(`Expected ${counts.sent} entries, found ${stub.counts.entries}`);
  return { ...counts, ...stub.counts, rate: counts.sent / seconds };
}

const columns = ['changes a second', 'transactions', 'conflicts', 'throttled', 'requeued', 'dead-lettered'];
console.log(`| shards | changes in a batch | ${columns.join(' | ')} |\n| --: | --: |${' --: |'.repeat(6)}`);
for (const shards of [1, 8])
  for (const batch of [1, 10, 100]) {
    const { rate, transactions, conflicts, throttled, requeued, deadLettered } = await measure(shards, batch);
    const cells = [rate.toFixed(0), transactions, conflicts, throttled, requeued, deadLettered];
    console.log(`| ${shards} | ${batch} | ${cells.join(' | ')} |`);
  }
