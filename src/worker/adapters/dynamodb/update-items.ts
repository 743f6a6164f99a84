/**
 * Writes guarded updates, each with its own condition:
 *
 *   an update ──┬──> a statement, 25 to a request ──┬──> written, lost, refused
 *               │      │ refused as invalid         └──> throttled: retried with back-off; then unavailable
 *               │      v
 *               └──> an UpdateItem of its own ──> the same
 *
 * If the caller paces its writes, a throttled one is not retried here, and the caller learns what each request cost.
 *
 * A statement that DynamoDB refuses as invalid is sent again as an UpdateItem request, which does not depend on PartiQL's
 * parser. Only if that is refused as well, the update is refused.
 */
import {
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { allSettledOrThrow } from '../../../model/all-settled-or-throw.ts';
import type { FellBack, GuardedUpdate, WriteOutcome } from '../../../model/guarded-write.ts';
import { isLegalKey } from '../../../model/item.ts';
import type { OnSpent } from '../../ports.ts';
import { untilNoneLeft } from '../back-off.ts';
import { Expression } from './expression.ts';
import { isThrottling, isValidation, type Refusal, refusalOf, refusalOfThrown } from './refusals.ts';
import { tableUnits, withUnits } from './spent-units.ts';
import { keyAttributes, type TableAccess, uniqueKeyBatches } from './table-access.ts';
import { statements } from './update-statement.ts';

/** Source: AWS, "BatchExecuteStatement". */
const maxStatements = 25;

/**
 * Maximum size of a request's values, in characters. DynamoDB accepts requests of 16 MB, but smaller ones
 * need less memory.
 */
const maxCharacters = 3_000_000;

interface Write {
  readonly index: number;
  readonly update: GuardedUpdate;
  readonly statement: BatchStatementRequest | undefined;
}

/** A write whose statement DynamoDB refused as invalid, with the error code. */
type RefusedWrite = Write & { readonly code: string };

type Verdict = WriteOutcome | Refusal;

/**
 * Returns one outcome for each update, in the same order. Updates of one item are written one after another.
 */
export async function updateItems(
  access: TableAccess,
  updates: readonly GuardedUpdate[],
  onSpent?: OnSpent,
): Promise<WriteOutcome[]> {
  const outcomes = updates.map((): WriteOutcome => 'unavailable');
  const statementOf = statements(access);
  const writes = updates.map((update, index) => ({ index, update, statement: statementOf(update) }));
  for (const batch of uniqueKeyBatches(writes, ({ update }) => update.key)) {
    let pending = batch;
    await untilNoneLeft(access.backOff, batch.length, async () => {
      const verdicts = await writeOnce(access, pending, onSpent);
      pending = pending.filter(({ index }) => {
        const verdict = verdicts.get(index) ?? 'unavailable';
        const again = verdict === 'again' || (verdict === 'throttled' && onSpent === undefined);
        if (!again) outcomes[index] = verdict;
        return again;
      });
      return pending.length;
    });
  }
  return outcomes;
}

async function writeOnce(
  access: TableAccess,
  writes: readonly Write[],
  onSpent: OnSpent | undefined,
): Promise<ReadonlyMap<number, Verdict>> {
  const verdicts = new Map<number, Verdict>();
  const batches = batchesOf(writes).map((batch) => writeBatch(access, batch, verdicts, onSpent));
  const single = writes
    .filter(({ statement }) => statement === undefined)
    .map((write) => writeAlone(access, write, verdicts, onSpent));
  await allSettledOrThrow([...batches, ...single]);
  return verdicts;
}

async function writeBatch(
  access: TableAccess,
  batch: readonly Write[],
  verdicts: Map<number, Verdict>,
  onSpent: OnSpent | undefined,
): Promise<void> {
  const { client, limit, tableName } = access;
  const what = `BatchExecuteStatement on table ${tableName}`;
  const Statements = batch.flatMap(({ statement }) => statement ?? []);
  const refused: RefusedWrite[] = [];
  try {
    const { Responses = [], ConsumedCapacity } = await limit(() =>
      client.send(new BatchExecuteStatementCommand({ Statements, ...withUnits(onSpent) })),
    );
    tableUnits(onSpent, ConsumedCapacity);
    batch.forEach((write, index) => {
      const response = Responses[index];
      const error = response?.Error;
      const verdict =
        response !== undefined && error === undefined
          ? 'written'
          : refusalOf(error?.Code, error?.Message, what);
      if (verdict === 'refused') refused.push({ ...write, code: String(error?.Code) });
      else verdicts.set(write.index, verdict);
    });
  } catch (error) {
    const verdict = verdictOf(error, what, onSpent);
    if (isValidation(error)) refused.push(...batch.map((write) => ({ ...write, code: error.name })));
    else for (const { index } of batch) verdicts.set(index, verdict);
  }
  await allSettledOrThrow(refused.map((write) => writeAlone(access, write, verdicts, onSpent)));
  // Writes that UpdateItem also refuses are dead-lettered, and have an alarm of their own.
  const taken = refused.filter(({ index }) => verdicts.get(index) === 'written');
  if (taken.length > 0) access.fellBack(countedByRule(taken));
}

function countedByRule(writes: readonly RefusedWrite[]): FellBack[] {
  const groups = Map.groupBy(writes, ({ update, code }) => `${code} ${update.rule}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ rule: first.update.rule, code: first.code, statements: 1 + others.length }],
  );
}

async function writeAlone(
  access: TableAccess,
  { index, update }: Write,
  verdicts: Map<number, Verdict>,
  onSpent: OnSpent | undefined,
): Promise<void> {
  const { client, limit, table, tableName: TableName } = access;
  const { key, set, remove, expect } = update;
  if (!isLegalKey(key)) {
    verdicts.set(index, 'lost');
    return;
  }
  const expression = new Expression(table);
  const UpdateExpression = expression.update(set, remove);
  const ConditionExpression = expression.condition(expect);
  const Key = keyAttributes(access, key);
  const changes = UpdateExpression === '' ? {} : { UpdateExpression };
  try {
    const { ConsumedCapacity } = await limit(() =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          ...changes,
          ConditionExpression,
          ...expression.parameters(),
          ...withUnits(onSpent),
        }),
      ),
    );
    tableUnits(onSpent, ConsumedCapacity);
    verdicts.set(index, 'written');
  } catch (error) {
    verdicts.set(index, verdictOf(error, `UpdateItem on table ${TableName}`, onSpent));
  }
}

/** For a caller that does not pace its writes, the SDK has retried a throttled request often enough. */
function verdictOf(error: unknown, what: string, onSpent: OnSpent | undefined): Verdict {
  return onSpent !== undefined && isThrottling(error) ? 'throttled' : refusalOfThrown(error, what);
}

/** Splits writes into full batches, but limits the size of a batch with large values. */
function batchesOf(writes: readonly Write[]): Write[][] {
  const batches: Write[][] = [];
  let room = 0;
  for (const write of writes) {
    if (write.statement === undefined) continue;
    const characters = charactersOf(write.statement);
    const batch = batches.at(-1);
    if (batch !== undefined && batch.length < maxStatements && characters <= room) batch.push(write);
    else {
      batches.push([write]);
      room = maxCharacters;
    }
    room -= characters;
  }
  return batches;
}

/** Only strings and binary values can be large on their own. For nested values, counts the JSON; for numbers, nothing. */
function charactersOf({ Parameters = [] }: BatchStatementRequest): number {
  let characters = 0;
  for (const value of Parameters) {
    if (value.S !== undefined) characters += value.S.length;
    else if (value.B !== undefined) characters += value.B.byteLength;
    else if (value.N === undefined) characters += JSON.stringify(value).length;
  }
  return characters;
}
