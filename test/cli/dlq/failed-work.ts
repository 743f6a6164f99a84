import { join } from 'node:path';
import {
  failedBatchFolder,
  onFailureFolder,
  onFailureRecord,
} from '../../../src/dev/event-source/on-failure-folder.ts';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import type { DeadLetter, Message } from '../../../src/model/work/message.ts';
import { record as deliveredRecord } from '../../deployed/invoke.ts';
import { lookAt } from '../../suites/dead-letter-reader.suite.ts';
import { newFolder } from '../../suites/new-folder.ts';
import { type Ran, run } from '../denorm.ts';
import type { embeddedTables } from '../embedded-tables.ts';

type Plain = Readonly<Record<string, string | number>>;

export function deadLetterAbout(pk: string, more: Partial<Message> = {}): DeadLetter {
  const message: Message = {
    ...{ rule: 'incident-on-participations', root: { pk, sk: 'inc_1' }, cause: 'changed', attempts: 3 },
    ...more,
  };
  return { code: 'root.invalid', reason: 'Expected State', message };
}

/** A stream record, as Lambda delivers it: a REMOVE if there is nothing after it. */
export function record(before: Plain | undefined, after?: Plain, byService = false) {
  const { PK = '', SK = '' } = after ?? before ?? {};
  const images = { ...(before && { before }), ...(after && { after }), byService };
  const name = after === undefined ? 'REMOVE' : 'MODIFY';
  return deliveredRecord(name, { PK: String(PK), SK: String(SK) }, images);
}

/** What Lambda keeps of a batch that it gave up. */
export function givenUp(functionName: string, ...records: readonly ReturnType<typeof record>[]) {
  return onFailureRecord({
    ...{ functionName, records, streamArn: 'arn:aws:dynamodb:us-east-1:1:table/t/stream/1' },
    ...{ shardId: 'shardId-1', condition: 'RetryAttemptsExhausted', invocations: 11, threw: true },
  });
}

/** A folder of `denorm dev` with what failed, a separate table, and `denorm dlq` on both. */
export async function stage(
  { newTable }: ReturnType<typeof embeddedTables>,
  deadLetters: readonly (DeadLetter | string)[] = [],
  batches: readonly ReturnType<typeof givenUp>[] = [],
) {
  const { application, at, refuseWrites } = await newTable();
  const cwd = newFolder();
  const letters = deadLetterFolder(join(cwd, '.denorm'));
  for (const one of deadLetters)
    await letters.add(typeof one === 'string' ? one : JSON.stringify(one), Date.now() - 7_200_000);
  const keep = onFailureFolder(join(cwd, '.denorm'));
  for (const batch of batches) await keep(batch, batch.requestContext.functionArn.split(':').at(-1) ?? '');
  return {
    ...{ application, cwd, at, refuseWrites },
    dlq: (...args: readonly string[]): Promise<Ran> => run(['dlq', ...args, ...at], cwd),
    /** The numbers of dead letters and of batches that are there. */
    async left(): Promise<readonly [deadLetters: number, batches: number]> {
      let batches = 0;
      for await (const _ of failedBatchFolder(join(cwd, '.denorm/on-failure')).keys()) batches += 1;
      return [(await lookAt(letters)).deadLetters.length, batches];
    },
  };
}
