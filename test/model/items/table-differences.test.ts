import { expect, test } from 'vitest';
import { describedTable, tableDifferences } from '../../../src/model/items/table-differences.ts';
import type { TableNames } from '../../../src/model/items/table-names.ts';

const names = {
  ...{ pk: 'PK', sk: { name: 'SK', type: 'N' }, ttl: 'Expires', type: 'Kind' },
  indexes: {
    byOwner: { name: 'by-owner', pk: ['Tenant', 'Owner'], sk: 'At', projection: 'ALL' },
    byState: { name: 'by-state', pk: 'State' },
  },
} as const satisfies TableNames;

const { byOwner, byState } = names.indexes;
const other = { name: 'other', pk: 'Other' } as const;

/** How a table with these names differs from what the rules name. */
function differences(found: TableNames) {
  return tableDifferences(describedTable(names), describedTable(found));
}

test.each<[string, TableNames, readonly string[]]>([
  ['not if it is the same', names, []],
  ['not by an index more', { ...names, indexes: { ...names.indexes, other } }, []],
  [
    'not by a projection where none is expected',
    { ...names, indexes: { byOwner, byState: { ...byState, projection: 'ALL' } } },
    [],
  ],
  ['by an index less', { ...names, indexes: { byOwner } }, ['no index by-state']],
  ['by its sort key', { pk: 'PK', ...rest(names) }, ['key PK (S) instead of PK (S) and SK (N)']],
  ['by the type of a key', { ...names, sk: 'SK' }, ['key PK (S) and SK (S) instead of PK (S) and SK (N)']],
  [
    'by the order of the attributes of a key',
    { ...names, indexes: { byOwner: { ...byOwner, pk: ['Owner', 'Tenant'] }, byState } },
    [
      'index by-owner with key Owner (S) + Tenant (S) and At (S) instead of Tenant (S) + Owner (S) and At (S)',
    ],
  ],
  [
    'by a projection that is expected, so that an entry may be part of an item',
    { ...names, indexes: { byOwner: { ...other, ...byOwner, projection: undefined as never }, byState } },
    ['index by-owner with projection unknown instead of ALL'],
  ],
])('a table differs from what the rules name %s', (_, found, expected) => {
  expect(differences(found)).toEqual(expected);
});

function rest({ ttl, type, indexes }: TableNames) {
  return { ttl, type, indexes };
}
