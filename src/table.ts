import type { TableNames } from './model/table-names.ts';

/**
 * Every name of the table stands here and nowhere else: a table with other key, index, TTL or type
 * attributes needs a change of this file only.
 */
export const table = {
  pk: 'PK',
  sk: 'SK',
  indexes: {
    GSI1: { name: 'GSI1', pk: 'GSI1PK', sk: 'GSI1SK' },
    GSI2: { name: 'GSI2', pk: 'GSI2PK', sk: 'GSI2SK' },
    GSI3: { name: 'GSI3', pk: 'GSI3PK', sk: 'GSI3SK' },
  },
  ttl: 'ExpiresAt',
  type: 'Type',
} as const satisfies TableNames;

export const { GSI1, GSI2, GSI3 } = table.indexes;
