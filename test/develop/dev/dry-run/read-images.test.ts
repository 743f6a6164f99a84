import { describe, expect, test } from 'vitest';
import { readImages } from '../../../../src/develop/dev/dry-run/read-images.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';

describe('images are read', () => {
  const wanted = item({ Part: 'p', Sort: 's', Score: 1, On: true, Tags: ['a'], Deep: { a: null } });
  const plain = { Part: 'p', Sort: 's', Score: 1, On: true, Tags: ['a'], Deep: { a: null } };

  test.each([
    ['a list of plain JSON', [plain]],
    ['a list of DynamoDB JSON', [wanted]],
    ['the output of a scan', { Items: [wanted], Count: 1, ScannedCount: 1, ConsumedCapacity: null }],
  ])('from %s', (_, json) => {
    expect(readImages(table, json)).toEqual([wanted]);
  });

  test('in DynamoDB JSON or in plain JSON, each item by itself', () => {
    expect(readImages(table, [wanted, plain])).toEqual([wanted, wanted]);
  });
});

describe('images are refused', () => {
  test.each([
    ['that are not a list', { Part: 'p' }, /list of items/],
    ['with an entry that is not an item', [item({ Part: 'p', Sort: 's' }), 'secret'], /number 2 is none/],
    ['with an item that has no key', [{ Part: 'p', Name: 'secret' }], /number 1 lacks Part or Sort/],
    ['with an item whose key is not text', [{ Part: 'p', Sort: 1 }], /number 1 lacks Part or Sort/],
  ])('%s, without their content in the message', (_, json, why) => {
    expect(() => readImages(table, json)).toThrow(why);
    expect(() => readImages(table, json)).not.toThrow(/secret/);
  });
});
