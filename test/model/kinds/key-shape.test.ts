import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { keyDifference, keyShape, knownWords, misspells } from '../../../src/model/kinds/key-shape.ts';
import { incident, membership, user } from '../../fixtures/world/kinds.ts';

const known = knownWords([user, membership, incident]);
test.each([
  ['USER#17', 'MEMBERSHIP#ann', 'USER#… / MEMBERSHIP#…'],
  ['user#17', 'METADATA', 'user#… / METADATA'],
  ['acct_secret#incidents', 'incident_x', 'acct_…#incidents / incident_…'],
  [
    '$shop#tenant_secret',
    '$participation_1#user_ann@example.com',
    '$shop#tenant_… / $participation_…#user_…',
  ],
  ['ORDER#2026-01-04T09:30:00Z', '', 'ORDER#…'],
  ['john_doe#x|y', 'ann', '…#…|… / …'],
])('the shape of a key has labels and known words alone: %s %s', (pk, sk, shape) => {
  expect(keyShape({ pk, sk }, known)).toBe(shape);
});

const author = defineKind({
  name: 'Author',
  pk: '$blog#authorid_{author}',
  sk: '$author_1',
  attributes: z.object({}),
});
const line = defineKind({
  name: 'Line',
  pk: 'ORDER#{order}',
  sk: 'ITEM#{item}#{day}',
  attributes: z.object({}),
});
const pair = defineKind({ name: 'Pair', pk: '{one}', sk: '{other}#{day}', attributes: z.object({}) });

test.each([
  ['in case', line, 'order#17', 'Item#a#b', 'case'],
  ['in a separator', line, 'ORDER:17', 'ITEM#a#b', 'separator'],
  ['in a misspelt word', line, 'ORDERS#17', 'ITEM#a#b', 'word'],
  [
    'in a misspelt word that is the only one',
    { ...line, ...patterns('ORDER#{a}', '{b}') },
    'ORDERS#7',
    '1',
    'word',
  ],
  ['in an id that is missing', line, 'ORDER#17', 'ITEM#a', 'id'],
  ['in an id that is too many', line, 'ORDER#17', 'ITEM#a#b#c', 'id'],
  ['in a word that is another', line, 'ORDER#17', 'NOTE#a#b', undefined],
  [
    'in a short word, which may be another',
    { ...line, ...patterns('TEAM#{a}', 'X') },
    'TERM#1',
    'X',
    undefined,
  ],
  ['in two words', line, 'ORDERS#17', 'ITEMS#a#b', undefined],
  ['in nothing', line, 'ORDER#17', 'ITEM#a#b', undefined],
  ['in an id, and has no word', pair, 'a', 'b', undefined],
  ['in case, of ElectroDB', author, '$BLOG#authorid_x', '$author_1', 'case'],
] as const)('a key differs from a kind’s %s', (_, kind, pk, sk, difference) => {
  const words = knownWords([kind]);

  expect(keyDifference(keyShape({ pk, sk }, words), kind, words)).toBe(difference);
});

function patterns(pk: string, sk: string) {
  const { pkPattern, skPattern } = defineKind({ name: 'Any', pk, sk, attributes: z.object({}) });
  return { pkPattern, skPattern };
}

test('a name is meant for another if it differs in case or in few of its letters', () => {
  expect(misspells('comment', 'Comment')).toBe(true);
  expect(misspells('Coment', 'Comment')).toBe(true);
  expect(misspells('Tax', 'Tag')).toBe(false);
  expect(misspells('Order', 'OrderItem')).toBe(false);
});
