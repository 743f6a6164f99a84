import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { canonicalMap } from '../../src/model/attribute-value.ts';
import type { GuardedUpdate, WriteOutcome } from '../../src/model/guarded-write.ts';
import { attribute, type Item, type ItemKey } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import { dynamoDbTable } from '../../src/worker/adapters/dynamodb/dynamodb-table.ts';
import type { TablePort } from '../../src/worker/ports.ts';
import { type Line, lineOf } from './lines.ts';
import type { OwnItems } from './own-items.ts';
import { type FormCase, forms } from './statement-forms.ts';

export interface FormsRun {
  /** A client of its own, whose requests are watched. */
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly items: Pick<OwnItems, 'put'>;
  readonly run: string;
  readonly asked: () => boolean;
}

/**
 * Puts every form of update through the worker's own code, one by one and then all in full batches, and compares the
 * items with what they must be. Says of each form whether DynamoDB took it as a statement.
 */
export async function runForms({ client, tableName, items, run, asked }: FormsRun): Promise<Line[]> {
  const port = dynamoDbTable({ client, tableName, table });
  const sent: string[] = [];
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        sent.push((commandName ?? '').replace(/Command$/, ''));
        return next(args);
      },
    { step: 'initialize', name: 'watchCommands' },
  );
  const location = { port, items, pk: `smoke#${run}` };
  const lines: Line[] = [];
  for (const [index, { name, cases }] of forms.entries()) {
    if (asked()) return lines;
    const line = await lineOf(`update: ${name}`, async () => {
      const wrong = await wrongCases(location, cases, `form#${index}`, sent);
      return wrong.length > 0 ? failedCases(wrong) : takenAs(sent);
    });
    lines.push(line);
  }
  if (asked()) return lines;
  const all = await lineOf('update: all of them at once', async () => {
    const cases = forms.flatMap((form) => form.cases);
    const wrong = await wrongCases(location, cases, 'batch', sent);
    const statements = sent.filter((command) => command === 'BatchExecuteStatement').length;
    if (wrong.length > 0) return failedCases(wrong);
    return { status: 'passed', detail: `${cases.length} updates, ${statements} batches of statements` };
  });
  return [...lines, all];
}

interface CopyLocation {
  readonly port: TablePort;
  readonly items: Pick<OwnItems, 'put'>;
  readonly pk: string;
}

/** Runs cases in one call, and tells what went otherwise. Leaves in `sent` the requests of the updates alone. */
async function wrongCases(
  { port, items, pk }: CopyLocation,
  cases: readonly FormCase[],
  sk: string,
  sent: string[],
): Promise<string[]> {
  const keys = cases.map((_, index): ItemKey => ({ pk, sk: `${sk}#${index}` }));
  const keyed = keys.map((key) => ({ [table.pk]: { S: key.pk }, [table.sk]: { S: key.sk } }));
  for (const [index, { before }] of cases.entries())
    if (before !== undefined) await items.put({ ...before, ...keyed[index] });
  const updates = cases.map(
    ({ set, remove, expect }, index): GuardedUpdate => ({
      key: keys[index] ?? { pk, sk },
      set,
      remove,
      expect,
    }),
  );
  sent.length = 0;
  const outcomes = await port.update(updates);
  const requests = [...sent];
  const wrong = await Promise.all(
    cases.map(async (one, index) => {
      const item = await port.get(keys[index] ?? { pk, sk });
      return complaint(one, outcomes[index], item, { ...keyed[index] });
    }),
  );
  sent.splice(0, sent.length, ...requests);
  return wrong.filter((text) => text !== undefined);
}

function complaint(
  { before, set, remove, outcome }: FormCase,
  got: WriteOutcome | undefined,
  item: Item | undefined,
  key: Item,
): string | undefined {
  if (got !== outcome) return `expected the update to be ${outcome}, it was ${got}`;
  const after =
    before !== undefined && outcome === 'written'
      ? { ...Object.fromEntries(Object.entries(before).filter(([name]) => !remove.includes(name))), ...set }
      : before;
  const same =
    after === undefined || item === undefined
      ? after === item
      : canonicalMap({ ...after, ...key }) === canonicalMap(item);
  if (same) return undefined;
  const names = new Set([...Object.keys(after ?? {}), ...Object.keys(item ?? {})]);
  const other = [...names].filter((name) => !(name in key) && !sameAttribute(after, item, name));
  return `it was ${got}, and then the item was not as expected in ${other.join(', ') || 'its existence'}`;
}

function sameAttribute(a: Item = {}, b: Item = {}, name = ''): boolean {
  const [one, other] = [attribute(a, name), attribute(b, name)];
  if (one === undefined || other === undefined) return one === other;
  return canonicalMap({ one }) === canonicalMap({ one: other });
}

function failedCases(wrong: readonly string[]): Omit<Line, 'check'> {
  return {
    status: 'failed',
    detail: [...new Set(wrong)].join('; '),
    action:
      'DynamoDB does not treat this update as the worker relies on: switch propagation off (PropagateEnabled=false) where copies have such values, and report this line',
  };
}

/** What the requests tell: taken as statements, meant for UpdateItem, or refused as statements first. */
function takenAs(sent: readonly string[]): Omit<Line, 'check'> {
  const isStatement = sent.includes('BatchExecuteStatement');
  const isUpdate = sent.includes('UpdateItem');
  if (isStatement && isUpdate)
    return {
      status: 'failed',
      detail: 'refused as a statement, fell back to UpdateItem, and was right',
      action: 'copies stay right, but each costs a request of its own: report this line',
    };
  return { status: 'passed', detail: isUpdate ? 'UpdateItem, as intended' : 'taken as a statement' };
}
