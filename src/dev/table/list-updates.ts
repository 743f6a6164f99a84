import { fieldsOf, ifText } from '../../model/basics/type-of.ts';
import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import type { Correction, SendToServer } from './guard.ts';
import { type Clause, clausesOf, fromTheEnd, listOf, type Path } from './update-expression.ts';

/**
 * The embedded server removes elements of a list one after another, each by its index among those that are left, and fills the gap
 * before an element that is set beyond the end. In DynamoDB, indexes count in the item before the update, and a list has no gaps.
 * Removals are ordered from the end, and what the server would still do otherwise is refused.
 */
export const listUpdates: Correction = {
  operations: new Set([
    'UpdateItem',
    'TransactWriteItems',
    'ExecuteStatement',
    'BatchExecuteStatement',
    'ExecuteTransaction',
  ]),
  async correct(operation, body, send) {
    const isOne = operation === 'UpdateItem';
    const items = listIn(body, 'TransactItems');
    const statements = [body, ...listIn(body, 'Statements'), ...listIn(body, 'TransactStatements')];
    for (const update of isOne ? [body] : items.map(updateIn)) {
      const clauses = clausesIn(update);
      const refused = lateChange(clauses) ?? (await gap(update, clauses, send));
      if (refused !== undefined) return { refused };
    }
    if (statements.some(removesSeveral)) return { refused: severalByStatement };
    if (isOne) return { body: inOrder(body) };
    if (items.length === 0) return { body };
    const TransactItems = items.map((item) =>
      updateIn(item) === undefined ? item : { ...fieldsOf(item), Update: inOrder(updateIn(item)) },
    );
    return { body: { ...fieldsOf(body), TransactItems } };
  },
};

function listIn(body: unknown, name: string): readonly unknown[] {
  const value = fieldsOf(body)[name];
  return Array.isArray(value) ? value : [];
}

function updateIn(item: unknown): unknown {
  return fieldsOf(item)['Update'];
}

/** None if the update has no element of a list. */
function clausesIn(update: unknown): readonly Clause[] {
  const { UpdateExpression, ExpressionAttributeNames } = fieldsOf(update);
  const expression = ifText(UpdateExpression) ?? '';
  return expression.includes('[') ? clausesOf(expression, fieldsOf(ExpressionAttributeNames)) : [];
}

function inOrder(update: unknown): unknown {
  const clauses = clausesIn(update);
  if (clauses.length === 0) return update;
  const texts = clauses.map(({ word, text, paths }) =>
    word === 'REMOVE'
      ? `REMOVE ${paths
          .toSorted(fromTheEnd)
          .map((path) => path.text)
          .join(', ')}`
      : text,
  );
  return { ...fieldsOf(update), UpdateExpression: texts.join(' ') };
}

function pathsOf(clauses: readonly Clause[], ...words: readonly string[]): readonly Path[] {
  return clauses.filter(({ word }) => words.includes(word)).flatMap(({ paths }) => paths);
}

/** The server does ADD and DELETE last, when the elements have moved. */
function lateChange(clauses: readonly Clause[]): string | undefined {
  const shortened = new Set(pathsOf(clauses, 'REMOVE').map(listOf));
  const late = pathsOf(clauses, 'ADD', 'DELETE').find(({ steps }) =>
    steps.some((step, at) => typeof step === 'number' && shortened.has(JSON.stringify(steps.slice(0, at)))),
  );
  return (
    late &&
    `Expected ADD and DELETE to leave a list alone of which REMOVE removes elements, got ${late.text}, which the embedded DynamoDB would look for after the removal: use SET`
  );
}

async function gap(
  update: unknown,
  clauses: readonly Clause[],
  send: SendToServer,
): Promise<string | undefined> {
  const paths = pathsOf(clauses, 'SET').filter((path) => listOf(path) !== undefined);
  if (paths.length === 0) return undefined;
  const { TableName, Key } = fieldsOf(update);
  const answer = await send('GetItem', { TableName, Key, ConsistentRead: true });
  const item = readItem(fieldsOf(answer)['Item']);
  if (item === undefined) return undefined;
  const set = new Set(paths.map(({ steps }) => JSON.stringify(steps)));
  for (const { text, steps } of paths) {
    const list = steps.slice(0, -1).reduce<AttributeValue | undefined>(memberOf, { M: item });
    const before = Number(steps.at(-1)) - 1;
    const isReached =
      list === undefined ||
      !('L' in list) ||
      before < list.L.length ||
      set.has(JSON.stringify([...steps.slice(0, -1), before]));
    if (!isReached)
      return `Expected SET to add the element after the last, [${list.L.length}], got ${text}: the embedded DynamoDB would fill the gap, where DynamoDB appends; use list_append`;
  }
  return undefined;
}

function memberOf(value: AttributeValue | undefined, step: string | number): AttributeValue | undefined {
  if (value === undefined) return undefined;
  if (typeof step === 'number') return 'L' in value ? value.L[step] : undefined;
  return 'M' in value ? value.M[step] : undefined;
}

const severalByStatement =
  'Expected a statement to remove at most one element of a list, got several, of which the embedded DynamoDB would remove others than DynamoDB: use UpdateItem';

/** Whether a PartiQL statement removes more than one element of a list. Quoted texts and names are left aside. */
function removesSeveral(statement: unknown): boolean {
  const text = (ifText(fieldsOf(statement)['Statement']) ?? '').replace(/'[^']*'|"[^"]*"/g, 'quoted');
  const [, removed = ''] = /\bREMOVE\s(.*?)\bWHERE\b/is.exec(text) ?? [];
  return removed.split(',').filter((path) => path.trim().endsWith(']')).length > 1;
}
