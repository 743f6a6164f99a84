import { randomBytes, randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { DenormError } from '../../model/errors.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { describeTable } from '../../operate/adapters/dynamodb/describe-table.ts';
import { InMemoryQueue } from '../../operate/offline/in-memory-queue.ts';
import { coalescingTable } from '../../worker/adapters/dynamodb/coalescing-table.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { ArchiveContext } from '../../worker/archive/archive-item.ts';
import { archive } from '../../worker/lambda/archive.ts';
import { fanOut } from '../../worker/lambda/fan-out.ts';
import { propagate } from '../../worker/lambda/propagate.ts';
import { defaultSettings } from '../../worker/ports.ts';
import type { PropagationContext } from '../../worker/propagation/context.ts';
import { openArchiveFolder } from './archive-folder/archive-folder.ts';
import { type DevEvents, localEvidence, sqsEvent, telemetryFor } from './dev-functions.ts';
import { LocalError } from './errors.ts';
import { loopbackClientSettings } from './loopback.ts';
import { deadLetterFolder } from './queue/dead-letter-folder.ts';

/** The functions, by their logical IDs in `template.yaml`. */
export const functionNames = ['Propagate', 'Archive', 'FanOut'] as const;
export type FunctionName = (typeof functionNames)[number];

export interface InvokeOptions extends DevEvents {
  readonly registry: Registry;
  readonly name: FunctionName;
  readonly event: unknown;
  readonly endpoint: string;
  readonly tableName: string;
  readonly archiveDir: string;
  readonly stateDir: string;
}

export interface InvokeOutcome {
  readonly records: number;
  /** Identifiers of records and messages that failed. */
  readonly failed: readonly string[];
  /** Messages that were queued with a delay, and are lost when this process ends. */
  readonly delayed: readonly { readonly message: Message; readonly delaySeconds: number }[];
}

/**
 * Runs one function on one event against a local table. Then processes the messages queued without delay, and
 * the messages queued by them.
 * @throws DenormError `table.unreachable`, `table.unknown` or `table.other-shape` if the table is unusable
 */
export async function invokeOnce(options: InvokeOptions): Promise<InvokeOutcome> {
  const { registry, tableName } = options;
  const client = new DynamoDBClient(loopbackClientSettings(options.endpoint));
  try {
    await requireTable(client, options);
    const table = coalescingTable(
      dynamoDbTable({ client, tableName, table: registry.table }),
      registry.table,
    );
    const queue = queueOf(options);
    const context: PropagationContext = {
      ...{
        registry,
        table,
        queue,
        settings: { ...defaultSettings, fanOutWriteUnits: Number.POSITIVE_INFINITY },
      },
      telemetry: telemetryFor(options, Date.now()),
      outOfTime: () => false,
      clock: systemClock,
    };
    const failed = await run(options, context);
    for (let due = queue.takeUndelayed(); due.length > 0; due = queue.takeUndelayed()) {
      const answer = await fanOut(context, sqsEvent(due.map(delivered)));
      failed.push(...answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    }
    return { records: recordsIn(options.event), failed, delayed: queue.waitingNow() };
  } finally {
    client.destroy();
  }
}

/** Without its table, a function would only leave every record to a retry. */
async function requireTable(client: DynamoDBClient, options: InvokeOptions): Promise<void> {
  const { endpoint, tableName, registry } = options;
  try {
    await describeTable(client, tableName, registry.table);
  } catch (error) {
    if (!(error instanceof DenormError) || error.code !== 'aws.unreachable') throw error;
    throw new LocalError(
      'table.unreachable',
      `Expected a table at ${endpoint}, found that nothing listens there: start \`npx denorm dev\`, or correct --endpoint`,
      error,
    );
  }
}

async function run(options: InvokeOptions, context: PropagationContext): Promise<string[]> {
  const { name, event } = options;
  if (name === 'FanOut') return identifiers(await fanOut(context, asEvent<SQSEvent>(event)));
  if (name === 'Propagate')
    return identifiers(await propagate(context, localEvidence, asEvent<DynamoDBStreamEvent>(event)));
  const archiving: ArchiveContext = {
    ...context,
    archive: await openArchiveFolder(options.archiveDir),
    nonce: () => randomBytes(8),
    concurrency: defaultSettings.concurrency,
  };
  return identifiers(await archive(archiving, localEvidence, asEvent<DynamoDBStreamEvent>(event)));
}

function identifiers({
  batchItemFailures,
}: {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}): string[] {
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

const envelope = z.object({ Records: z.array(z.unknown()) });

/** An event from any source. The function validates each of its records. */
function asEvent<Event extends { readonly Records: readonly unknown[] }>(event: unknown): Event {
  if (envelope.safeParse(event).success) return event as Event;
  throw new DenormError(
    'event.unreadable',
    'Expected an event with a list of Records, as Lambda delivers it: see those in events/',
  );
}

function recordsIn(event: unknown): number {
  return envelope.safeParse(event).data?.Records.length ?? 0;
}

/** The queue of one invocation: this process handles the messages that are due, and only records the delayed ones. */
function queueOf({ stateDir }: InvokeOptions): InMemoryQueue {
  const folder = deadLetterFolder(stateDir);
  return new InMemoryQueue(systemClock, {
    async deadLetter(deadLettered) {
      for (const thing of deadLettered)
        await folder.add({ kind: 'dead-lettered', at: new Date().toISOString(), deadLettered: thing });
    },
  });
}

/** A message in SQS's format. */
function delivered(message: Message) {
  return { body: JSON.stringify(message), messageId: randomUUID(), receiveCount: 1 };
}
