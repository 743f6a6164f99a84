/** One fan-out on the stub, beside an application that writes into the same partition. */
import { setTimeout as sleep } from 'node:timers/promises';
import config from '../../denorm.config.ts';
import { sqsEvent } from '../../src/dev/dev-functions.ts';
import { functionSettings } from '../../src/worker/environment.ts';
import { fanOut } from '../../src/worker/lambda/fan-out.ts';
import { propagate } from '../../src/worker/lambda/propagate.ts';
import { propagationContext } from '../../src/worker/lambda/propagation-context.ts';
import { silentTelemetry } from '../../src/worker/ports.ts';
import { environmentAt, startServer } from '../stub-server.ts';
import { closedIncident, recordsOf } from '../works.ts';
import { Partition } from './partition.ts';
import { type Sent, StubTable } from './stub.ts';

/** Write units a second of the application. */
export const applicationUnits = 150;

/** How long SQS and Lambda take to deliver a message, in milliseconds. */
const hop = 25;

/** Invocations of FanOut side by side, as the template limits them. */
const maxInvocations = 10;

/** How long an invocation may take, in milliseconds, as in the template. */
const timeout = 60_000;

export interface FanOutResult {
  readonly copies: number;
  readonly seconds: number;
  /** Copies a second. */
  readonly rate: number;
  readonly statements: number;
  readonly throttled: number;
  readonly applicationWrites: number;
  readonly applicationThrottled: number;
  readonly invocations: number;
  /** Duration of all invocations, as Lambda would charge it. */
  readonly invocationSeconds: number;
}

/**
 * @param ceiling in write units a second; `Infinity` paces nothing
 * @throws Error if a copy is not written
 */
export async function measureFanOut(copies: number, ceiling: number): Promise<FanOutResult> {
  const partition = new Partition();
  const waiting: Promise<void>[] = [];
  const stale = closedIncident('paced', copies, copies);
  const stub = new StubTable(stale, closedIncident('paced', copies, 0), partition, (sent) => {
    waiting.push(deliver(sent));
  });
  const server = await startServer(
    (operation, body) => JSON.stringify(stub.answerTo(operation, JSON.parse(body))),
    5,
  );
  const environment = environmentAt(server.endpoint);
  Object.assign(process.env, environment);
  const contextOf = propagationContext(
    { ...functionSettings('FanOut', environment), fanOutWriteUnits: ceiling },
    config.registry({ disabled: [] }),
    silentTelemetry,
  );
  let invocations = 0;
  let running = 0;
  let invocationSeconds = 0;

  async function invoke(
    run: (context: ReturnType<typeof contextOf>) => Promise<{ batchItemFailures: unknown[] }>,
  ) {
    const begun = performance.now();
    invocations += 1;
    running += 1;
    const { batchItemFailures } = await run(
      contextOf({ getRemainingTimeInMillis: () => timeout - (performance.now() - begun) }),
    );
    running -= 1;
    invocationSeconds += (performance.now() - begun) / 1000;
    if (batchItemFailures.length > 0) throw new Error('Expected every record to succeed');
  }

  async function deliver({ body, delaySeconds }: Sent): Promise<void> {
    await sleep(delaySeconds * 1000 + hop);
    while (running >= maxInvocations) await sleep(hop);
    await invoke((context) =>
      fanOut(context, sqsEvent([{ body, messageId: String(invocations), receiveCount: 1 }])),
    );
  }

  const application = new Application(partition);
  const begun = performance.now();
  waiting.push(
    invoke((context) =>
      propagate(
        context,
        { globalTableReplica: false },
        {
          Records: recordsOf(stale),
        },
      ),
    ),
  );
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next;
  const seconds = (performance.now() - begun) / 1000;
  application.stop();
  server.close();
  if (stub.finished !== copies)
    throw new Error(`Expected ${copies} copies to be written, found ${stub.finished}`);
  const { statements, throttled } = stub.counts;
  return {
    copies,
    seconds,
    rate: copies / seconds,
    statements,
    throttled,
    applicationWrites: application.writes,
    applicationThrottled: application.throttled,
    invocations,
    invocationSeconds,
  };
}

/** Writes evenly into the partition. It does not retry: each throttled write counts. */
class Application {
  writes = 0;
  throttled = 0;
  private readonly begun = performance.now();
  private readonly timer: NodeJS.Timeout;

  constructor(partition: Partition) {
    this.timer = setInterval(() => {
      const due = ((performance.now() - this.begun) / 1000) * applicationUnits;
      for (; this.writes < due; this.writes += 1) if (!partition.take(1)) this.throttled += 1;
    }, 2);
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
