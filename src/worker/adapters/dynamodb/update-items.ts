/**
 * Writes guarded updates, each with its own condition:
 *
 *   an update ──┬──> a statement, 25 to a request ──┬──> written, lost, refused
 *               │      │ refused as invalid         └──> throttled: retried with back-off; then unavailable
 *               │      v
 *               └──> an UpdateItem of its own ──> the same
 *
 * An UpdateItem does not depend on PartiQL's parser: only if that is refused as well, the update is refused.
 */
import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { batchesOf } from '../../../model/basics/chunks-of.ts';
import { isLegalKey, keyAttributes, keyText } from '../../../model/items/item.ts';
import type { GuardedUpdate, WriteOutcome } from '../../../model/work/guarded-write.ts';
import type { WriteOptions } from '../../ports.ts';
import { untilNoneLeft } from '../../retry.ts';
import { guardedExpressions, statements } from './guarded-expressions.ts';
import { type Refusal, refusalFrom, refusalFromPart } from './refusals.ts';
import { type TableAccess, tellUnits, withUnits } from './table-access.ts';

/** Source: AWS, "BatchExecuteStatement". */
export const statementsPerRequest = 25;

/** In characters of a request's values: DynamoDB accepts 16 MB, but smaller requests need less memory. */
const limits = { count: statementsPerRequest, size: 3_000_000 };

interface Write {
  readonly index: number;
  readonly update: GuardedUpdate;
  readonly statement: BatchStatementRequest | undefined;
}

type Verdict = 'written' | Refusal;

type Writing = TableAccess & WriteOptions;

/** One outcome for each update, in their order. Updates of one item are written one after another. */
export async function updateItems(
  writing: Writing,
  updates: readonly GuardedUpdate[],
): Promise<WriteOutcome[]> {
  const outcomes = updates.map((): WriteOutcome => 'unavailable');
  const statementOf = statements(writing);
  const writes = updates.map((update, index): Write => ({ index, update, statement: statementOf(update) }));
  for (const batch of uniqueKeyBatches(writes)) {
    let pending = batch;
    await untilNoneLeft(writing.backOff, batch.length, async () => {
      const again: Write[] = [];
      for (const [write, verdict] of await writeOnce(writing, pending))
        if (verdict === 'again') again.push(write);
        else outcomes[write.index] = verdict;
      pending = again;
      return pending.length;
    });
  }
  return outcomes;
}

/** Batches with each item once. Writes of one item keep their order. There is usually one batch. */
function uniqueKeyBatches(writes: readonly Write[]): Write[][] {
  const ofItems = [...Map.groupBy(writes, ({ update }) => keyText(update.key)).values()];
  const length = Math.max(0, ...ofItems.map((ofItem) => ofItem.length));
  return Array.from({ length }, (_, position) => ofItems.flatMap((ofItem) => ofItem[position] ?? []));
}

async function writeOnce(writing: Writing, writes: readonly Write[]): Promise<(readonly [Write, Verdict])[]> {
  const stated = writes.filter(({ statement }) => statement !== undefined);
  const alone = writes.filter(({ statement }) => statement === undefined);
  const batches = batchesOf(stated, limits, charactersOf);
  const answers = await allSettledOrThrow([
    ...batches.map((batch) => writeBatch(writing, batch)),
    ...alone.map(async (write) => [[write, await writeAlone(writing, write)] as const]),
  ]);
  return answers.flat();
}

async function writeBatch(writing: Writing, batch: readonly Write[]): Promise<(readonly [Write, Verdict])[]> {
  const verdicts = await executed(writing, batch);
  const answers = batch.map((write, index) => [write, verdicts[index] ?? 'again'] as const);
  const refused = answers.filter(([, verdict]) => verdict === 'refused');
  const alone = refused.map(async ([write]) => [write, await writeAlone(writing, write)] as const);
  return [...answers.filter((one) => !refused.includes(one)), ...(await allSettledOrThrow(alone))];
}

async function executed(writing: Writing, batch: readonly Write[]): Promise<readonly Verdict[]> {
  const { client, limit, tableName, onSpent, isPaced } = writing;
  const what = `BatchExecuteStatement on table ${tableName}`;
  const Statements = batch.flatMap(({ statement }) => statement ?? []);
  const command = new BatchExecuteStatementCommand({ Statements, ...withUnits(onSpent) });
  try {
    const { Responses = [], ConsumedCapacity } = await limit(() => client.send(command));
    tellUnits(onSpent, ConsumedCapacity);
    return batch.map((_, index) => {
      const response = Responses[index];
      return response !== undefined && response.Error === undefined
        ? 'written'
        : refusalFromPart(response?.Error, what, isPaced);
    });
  } catch (error) {
    const verdict = refusalFrom(error, what, isPaced);
    return batch.map(() => verdict);
  }
}

async function writeAlone(writing: Writing, { update }: Write): Promise<Verdict> {
  const { client, limit, table, tableName: TableName, onSpent, isPaced } = writing;
  if (!isLegalKey(table, update.key)) return 'lost';
  const command = new UpdateItemCommand({
    TableName,
    Key: keyAttributes(table, update.key),
    ...guardedExpressions(table, update),
    ...withUnits(onSpent),
  });
  try {
    const { ConsumedCapacity } = await limit(() => client.send(command));
    tellUnits(onSpent, ConsumedCapacity);
    return 'written';
  } catch (error) {
    return refusalFrom(error, `UpdateItem on table ${TableName}`, isPaced);
  }
}

/** Only strings and binary values can be large on their own. */
function charactersOf({ statement }: Write): number {
  let characters = 0;
  for (const value of statement?.Parameters ?? []) {
    if (value.S !== undefined) characters += value.S.length;
    else if (value.B !== undefined) characters += value.B.byteLength;
    else if (value.N === undefined) characters += JSON.stringify(value).length;
  }
  return characters;
}
