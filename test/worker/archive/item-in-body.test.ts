import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import { bodyOf, itemInBody } from '../../../src/worker/archive/object.ts';

describe('an item in the body of an archive object', () => {
  test.each<[string, Item]>([
    ['attributes called __proto__ and constructor', { ['__proto__']: { S: 'a' }, constructor: { S: 'b' } }],
    ['odd names of attributes', { '"': { S: 'a' }, '\\': { S: 'b' }, '\n': { S: 'c' } }],
    ['400 KB', { s: { S: '§'.repeat(200 * 1024) } }],
  ])('is read back with %s', (_, item) => {
    const read = itemInBody(bodyOf(item, new Uint8Array(8)));

    expect(read).toEqual(item);
    expect(Object.keys(read)).toEqual(Object.keys(item));
  });

  const unreadable = expect.objectContaining({
    code: 'archive.unreadable',
    message: expect.stringContaining('Expected a body of the form {"Item":{…}}'),
  });

  test.each([
    '',
    '{',
    'null',
    '{}',
    '{"Item":null}',
    '{"Item":{"a":"b"}}',
    '{"Item":{"a":{"S":1}}}',
    '{"Item":{"a":{"S":"1","N":"1"}}}',
    '{"Item":{"a":{"X":"1"}}}',
    `{"Item":{"a":{"N":"${'1'.repeat(201)}"}}}`,
    `{"Item":{"a":{"NS":["1","${'1'.repeat(201)}"]}}}`,
  ])('is not found in the body %j', (body) => {
    expect(() => itemInBody(body)).toThrow(unreadable);
  });

  test.each([
    ['maps', '{"M":{"a":', '}}'],
    ['lists', '{"L":[', ']}'],
  ])('is not found in %s that are nested deeper than a stack allows', (_, open, close) => {
    const body = `{"Item":{"a":${open.repeat(50_000)}{"S":"b"}${close.repeat(50_000)}}}`;

    expect(() => itemInBody(body)).toThrow(unreadable);
  });
});
