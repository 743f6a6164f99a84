import { describe, expect, test } from 'vitest';
import type { QueriedLocation } from '../../../../src/model/items/copy-location.ts';
import type { Cursor } from '../../../../src/model/work/message.ts';
import { tableThat } from './stub-dynamodb.ts';

const partition: QueriedLocation = { in: 'partition', pk: 'p' };
const index: QueriedLocation = { in: 'index', index: 'ByTag', pk: 'p' };

/** A cursor as DynamoDB sends it. */
const sent = (cursor: Cursor) => Object.fromEntries(Object.entries(cursor).map(([name, S]) => [name, { S }]));

describe('a query', () => {
  test.each([
    [partition, { Owner: 'p', Entry: 'é' }],
    [index, { Owner: 'p', Entry: 'e', TagPk: 'red', TagSk: '2026' }],
  ])('of %j returns a page without items that is not the last', async (location, cursor) => {
    const { port } = await tableThat(() => ({ result: { Items: [], LastEvaluatedKey: sent(cursor) } }));

    expect(await port.query(location, 5)).toEqual({ entries: [], next: cursor });
  });

  test.each<[string, QueriedLocation, boolean, object]>([
    ['the table is strongly consistent', partition, false, { Limit: 5, ConsistentRead: true }],
    [
      'an index requests keys only',
      index,
      false,
      {
        ProjectionExpression: '#tablePk, #tableSk',
        ExpressionAttributeNames: { '#tablePk': 'Owner', '#tableSk': 'Entry' },
      },
    ],
    // Refused if the index projects less, so that a part is never taken for the whole.
    ['an index requests whole entries', index, true, { Select: 'ALL_ATTRIBUTES' }],
  ])('of %s', async (_, location, whole, expected) => {
    const { port, stub } = await tableThat(() => ({ result: { Items: [] } }));

    await port.query(location, 5, undefined, whole);

    expect(stub.requests).toMatchObject([{ body: expected }]);
  });

  test('ends with a page whose last key is empty, as some servers answer', async () => {
    const { port } = await tableThat(() => ({ result: { Items: [], LastEvaluatedKey: {} } }));

    expect((await port.query(partition, 5)).next).toBeUndefined();
  });

  test.each<[string, QueriedLocation]>([
    ['the table', partition],
    ['an index', index],
  ])('of %s throws a FatalError if an item has not the key that the rules name', async (_, location) => {
    const { port } = await tableThat(() => ({ result: { Items: [{ Owner: { S: 'p' } }] } }));

    await expect(port.query(location, 5)).rejects.toMatchObject({
      name: 'FatalError',
      code: 'table.other-shape',
      message: expect.stringMatching(
        /the key attributes Owner and Entry, both text, got one without: correct/,
      ),
    });
  });

  test('throws a FatalError if the table’s keys are not text', async () => {
    const { port } = await tableThat(() => ({
      result: { Items: [], LastEvaluatedKey: { Owner: { N: '1' } } },
    }));

    await expect(port.query(partition, 5)).rejects.toMatchObject({ code: 'table.other-shape' });
  });

  const at = { Owner: 'p', Entry: 'e#7' };
  const tagged = { ...at, TagPk: 'p', TagSk: 'e#7' };
  test.each<[string, QueriedLocation, Cursor, boolean]>([
    ['a key of its range', partition, at, true],
    ['not a key of another partition', partition, { ...at, Owner: 'q' }, false],
    ['not a key before its range', partition, { ...at, Entry: 'd' }, false],
    ['not a key of other attributes', partition, { Owner: 'p', Sort: 'e#7' }, false],
    ['not a key of an index', partition, tagged, false],
    ['not a key that no item has', partition, { Owner: '', Entry: 'e#7' }, false],
    ['not an empty key', index, {}, false],
    ['in an index, a key of index and table', index, tagged, true],
    ['in an index, not a key of the table', index, at, false],
  ])('starts at %s', async (_, location, cursor, goesOn) => {
    const { port, stub } = await tableThat(() => ({ result: { Items: [] } }));

    await port.query({ ...location, begins: 'e#' }, 1, cursor);

    expect(stub.requests.map(({ body }) => body['ExclusiveStartKey'])).toEqual([
      goesOn ? sent(cursor) : undefined,
    ]);
  });
});
