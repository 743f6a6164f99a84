import { expect, test } from 'vitest';
import { indexParts, keyParts } from '../../../src/model/items/table-names.ts';

test('an attribute in several index keys may be as long as the narrowest takes', () => {
  const by = (name: string, pk: string, sk: string) => ({ name, pk, sk });
  const names = { pk: 'PK', ttl: 'Expires', type: 'Kind' };

  for (const indexes of [
    { one: by('one', 'Owner', 'At'), two: by('two', 'State', 'Owner') },
    { two: by('two', 'State', 'Owner'), one: by('one', 'Owner', 'At') },
  ]) {
    const longest = [...indexParts({ ...names, indexes }).values()].map((part) => [part.name, part.longest]);

    expect(Object.fromEntries(longest)).toEqual({ Owner: 1024, State: 2048, At: 1024 });
  }
});

test('the attributes of a key are text unless they say otherwise, those of pk first', () => {
  const { all, sk } = keyParts({ pk: ['Tenant', { name: 'Shard', type: 'N' }], sk: 'At' });

  expect(all.map(({ name, type }) => [name, type])).toEqual([
    ['Tenant', 'S'],
    ['Shard', 'N'],
    ['At', 'S'],
  ]);
  expect(sk).toHaveLength(1);
});
