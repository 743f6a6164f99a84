import { defineConfig, defineKind, defineRule, type TableNames } from 'stream-denormalizer';
import * as z from 'zod';

/** A table whose index has two attributes in its partition key and two in its sort key. */
const table = {
  pk: 'pk',
  sk: 'sk',
  indexes: {
    byRegion: {
      name: 'by-region',
      pk: ['tenant', 'region'],
      sk: ['status', { name: 'createdAt', type: 'N' }],
      projection: 'ALL',
    },
  },
  ttl: 'expires',
  type: 'kind',
} as const satisfies TableNames;

const region = defineKind({
  name: 'Region',
  pk: 'TENANT#{tenant}',
  sk: 'REGION#{region}',
  attributes: z.object({ manager: z.string() }),
});

const order = defineKind({
  name: 'Order',
  pk: 'ORDER#{order}',
  sk: 'ORDER',
  attributes: z.object({
    ...{ tenant: z.string(), region: z.string(), status: z.enum(['open', 'closed']), createdAt: z.number() },
    manager: z.string().optional(),
  }),
});

/** The manager of a region stands on its open orders. */
const managerOnOrders = defineRule({
  name: 'manager-on-orders',
  root: region,
  copy: order,
  reads: { copy: ['tenant', 'region'] },
  located: {
    in: 'index',
    index: table.indexes.byRegion,
    at: ({ ids }) => ({ pk: [ids.tenant, ids.region], sk: ['open'], from: 1_700_000_000 }),
  },
  rootOf: ({ tenant, region: name }) => region.key({ tenant, region: name }),
  copies: ['manager'],
  onDelete: 'keep',
  onExpire: 'keep',
});

export default defineConfig({
  table,
  rules: [managerOnOrders],
  stages: { dev: { endpoint: 'http://127.0.0.1:8000', table: 'regions' } },
});
