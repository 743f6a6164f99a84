import { allSettledOrThrow } from '../../model/basics/all-settled-or-throw.ts';
import { afterAll } from '../../model/items/change.ts';
import { keyText } from '../../model/items/item.ts';
import { eraseVersions } from '../../worker/adapters/s3/s3-archive.ts';
import { s3ArchiveReader } from '../../worker/adapters/s3/s3-archive-reader.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { TablePort } from '../../worker/ports.ts';
import { sqsDeadLetterReader } from '../adapters/dead-letter-queue.ts';
import { deleteItem, dynamoDbPut } from '../adapters/dynamodb/write-item.ts';
import { invokeFunction } from '../adapters/lambda-functions.ts';
import type { FoundDeadLetter } from '../dead-letters/dead-letters.ts';
import { type OwnItems, ownItems } from './own-items.ts';
import { type Line, lineOf, runSmokeTest, type SmokeContext, type SmokeTest } from './smoke-test.ts';
import { type DeployedStack, stackLines } from './stack-lines.ts';
import { formsLine } from './statement-forms.ts';

export interface SmokeRun extends DeployedStack, Pick<SmokeContext, 'within' | 'stop'> {
  readonly port: TablePort;
  /** Part of the key of every item that is written. */
  readonly run: string;
  readonly smokeTests: readonly SmokeTest[];
  /** The same with other ids: for these changes, the functions are invoked first. */
  readonly trial: readonly SmokeTest[];
  readonly onLine: (line: Line) => void;
  /** @param what could not be removed, and why */
  readonly onLeft: (what: string) => void;
}

/** How long dead letters stay hidden from other readers if the run is killed while it reads them. */
const hiddenSeconds = 30;

/** Proves a stack, and cleans up whatever happens. */
export async function smoke(options: SmokeRun): Promise<void> {
  const items = itemsOf(options);
  try {
    await prove(options, items);
  } finally {
    for (const what of await items.removeAll()) options.onLeft(what);
  }
}

async function prove(options: SmokeRun, items: OwnItems): Promise<void> {
  const { connection, outputs, port: table, table: names, run, smokeTests, trial, onLine } = options;
  const bucket = outputs.ArchiveBucketName;
  const archive = bucket === undefined ? undefined : s3ArchiveReader({ client: connection.s3, bucket });
  const refusalOf: SmokeContext['refusalOf'] = (reader, records) => reasonOf(options, reader, records);
  const context: SmokeContext = { ...options, table, archive, items, refusalOf, clock: systemClock };
  const tell = async (line: Promise<Line>) => {
    const found = await line;
    onLine(found);
    return found.status !== 'failed';
  };
  for (const { made, steps } of trial) {
    items.expect(made.keys, made.objectKeys);
    for (const step of steps) if (step.does !== 'removal') await items.write(step);
  }
  const readers = new Set<Reader>([...trial.map(({ reader }) => reader), 'FanOut']);
  const invoked = await Promise.all([...readers].map((reader) => tell(invocation(options, reader))));
  let letters = await deadLetterLine(options);
  if (invoked.every(Boolean) && letters.status !== 'failed') {
    await allSettledOrThrow([
      ...smokeTests.map((smokeTest) => tell(runSmokeTest(context, smokeTest))),
      tell(formsLine(table, names, items, run)),
    ]);
    letters = await deadLetterLine(options);
  } else {
    // Each would be waited for in vain.
    const detail = 'not tried, because of what failed of the stack';
    for (const { rule: check } of smokeTests) onLine({ check, of: 'rule', status: 'unproven', detail });
  }
  onLine(letters);
  for (const line of await stackLines(options)) onLine(line);
}

type Reader = SmokeTest['reader'] | 'FanOut';

/** Whether a function accepts the changes of the trial. */
function invocation(options: SmokeRun, reader: Reader): Promise<Line> {
  return lineOf('stack', `invocation of ${reader}`, async () => {
    const steps = options.trial
      .filter((smokeTest) => smokeTest.reader === reader)
      .flatMap((smokeTest) => smokeTest.steps);
    const records = steps.filter(({ does }) => does !== 'removal').flatMap((step) => step.records);
    const why = await reasonOf(options, reader, records);
    if (why !== undefined) return { status: 'failed', detail: why };
    return { status: 'proven', detail: `it accepts ${records.length} changes` };
  });
}

/** Why a function refuses these changes; undefined if it accepts them. */
async function reasonOf(
  { connection, outputs }: SmokeRun,
  reader: Reader,
  records: readonly object[],
): Promise<string | undefined> {
  const name = outputs[`${reader}Function`];
  if (name === undefined) return 'the stack has no such function: deploy it again';
  const { unacknowledged, why } = await invokeFunction(connection.lambda, name, records);
  return why ?? (unacknowledged > 0 ? 'see its log' : undefined);
}

/** Work of this run that was set aside, which is removed. */
function deadLetterLine({ connection, outputs, run, stop }: SmokeRun): Promise<Line> {
  return lineOf('stack', 'dead letters of this run', async () => {
    const { DeadLetterQueueUrl: queueUrl } = outputs;
    const reader = sqsDeadLetterReader({ client: connection.sqs, queueUrl, hiddenSeconds });
    try {
      const own: FoundDeadLetter[] = [];
      const isOwn = ({ message }: FoundDeadLetter) => message && keyText(message.root).includes(run);
      await reader.look((one) => void (isOwn(one) && own.push(one)), { stop });
      await reader.remove(own);
      if (own.length === 0) return { status: 'proven', detail: 'none' };
      const reasons = own.map(({ message, reason }) => `${message?.rule}: ${reason}`);
      return { status: 'failed', detail: [...new Set(reasons)].join('; ') };
    } finally {
      await reader.close();
    }
  });
}

function itemsOf({ connection, outputs, tableName, table, run }: SmokeRun): OwnItems {
  const location = { client: connection.dynamoDb, tableName, table };
  return ownItems({
    table,
    run,
    puts: dynamoDbPut(location),
    clock: systemClock,
    removeItem: (key) => deleteItem(location, key),
    async eraseObject(objectKey) {
      const bucket = outputs.ArchiveBucketName;
      if (bucket !== undefined) await eraseVersions({ client: connection.s3, bucket }, objectKey, afterAll);
    },
  });
}
