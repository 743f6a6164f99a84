import { count, defineAggregate, defineConfig, defineKind } from 'stream-denormalizer';
import * as z from 'zod';
import { table } from '../../../src/table.ts';

const day = defineKind({
  ...{ name: 'Day', type: 'Day', pk: 'SHOP#{shop}', sk: 'DAY#{day}' },
  attributes: z.object({ Sales: z.number() }),
});

const sale = defineKind({
  ...{ name: 'Sale', type: 'Sale', pk: 'SHOP#{shop}', sk: 'SALE#{sale}' },
  attributes: z.object({ Day: z.string().min(1) }),
});

/** Its targets come with their first member, and go with their last. */
export default defineConfig({
  table,
  rules: [],
  aggregates: [
    defineAggregate({
      ...{ name: 'sales-of-day', of: sale, on: day, creates: true, onEmpty: 'delete' },
      reads: { member: ['Day'] },
      members: { in: 'partition', at: ({ ids }) => ({ pk: sale.pk({ shop: ids.shop }), begins: 'SALE#' }) },
      targetsOf: ({ ids, Day }) => [day.key({ shop: ids.shop, day: Day })],
      computes: { Sales: count() },
    }),
  ],
});
