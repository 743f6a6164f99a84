import type { TableNames } from 'stream-denormalizer';

/** Every name of the table that the code uses. `denorm template` writes them into `template.yaml`. */
export const table = {
  pk: 'PK',
  sk: 'SK',
  indexes: {
    GSI1: { name: 'GSI1', pk: 'GSI1PK', sk: 'GSI1SK', projection: 'ALL' },
    GSI2: { name: 'GSI2', pk: 'GSI2PK', sk: 'GSI2SK', projection: 'ALL' },
    GSI3: { name: 'GSI3', pk: 'GSI3PK', sk: 'GSI3SK', projection: 'ALL' },
  },
  ttl: 'ExpiresAt',
  type: 'Type',
} as const satisfies TableNames;

export const { GSI1, GSI2, GSI3 } = table.indexes;
