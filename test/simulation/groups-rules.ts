import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import type { Aggregate, EmptyPolicy } from '../../src/model/rules/aggregate.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { average, count, sum } from '../../src/model/rules/reducers.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import { GSI1, GSI2, table } from '../../src/table.ts';

/** A group of sales, which the worker makes with the first of them. An application may note something on it. */
const group = defineKind({
  ...{ name: 'Group', type: 'Group', pk: 'GROUP#{group}', sk: 'GROUP' },
  attributes: z.object({
    ...{ Sales: z.number(), Weight: z.number(), Mean: z.number().optional(), Returns: z.number().optional() },
    Note: z.string().optional(),
  }),
  keys: { [GSI2.name]: { pk: 'GROUPS', sk: '{Sales}' } },
});

/** A sale may be of no group, move to another one, and weigh nothing. */
const sale = defineKind({
  ...{ name: 'Sale', type: 'Sale', pk: 'SALES', sk: 'SALE#{sale}' },
  attributes: z.object({ Group: z.string().min(1).optional(), Weight: z.number().optional() }),
  examples: [{ Group: 'A', Weight: 0 }, { Group: 'AA', Weight: 1 }, { Weight: -1 }],
  keys: { [GSI1.name]: { pk: 'GROUP#{Group}', sk: 'SALE#{sale}' } },
});

/** What came back, of a group that it does not make. */
const refund = defineKind({
  ...{ name: 'Return', type: 'Return', pk: 'GROUP#{group}', sk: 'RETURN#{return}' },
  attributes: z.object({ Amount: z.number().optional() }),
});

/** What a seed decides of groups. */
export interface GroupForm {
  readonly onEmpty: EmptyPolicy;
  readonly found: 'in a partition' | 'by an index' | 'in a ledger';
  readonly invalid: Aggregate['invalid'];
}

/** Targets that an aggregate makes, of members that move, weigh 0, and come again. Another aggregate, and a rule, write on them too. */
export function groups({ onEmpty, found, invalid }: GroupForm): Registry {
  const common = { of: sale, on: group, reads: { member: ['Group'] }, invalid } as const;
  const making = { creates: true, onEmpty } as const;
  const targetsOf = ({ Group }: { readonly Group?: string | undefined }) =>
    Group === undefined ? [] : [group.key({ group: Group })];
  const computes = { Sales: count(), Weight: sum('Weight'), Mean: average('Weight', { digits: 2 }) };
  const salesOfGroup = defineAggregate({
    ...{
      name: found === 'in a ledger' ? 'posted-sales-of-group' : 'sales-of-group',
      ...common,
      ...making,
      targetsOf,
      computes,
    },
    ...(found === 'in a ledger'
      ? { ledger: { shards: 2 } }
      : {
          members:
            found === 'by an index'
              ? { in: 'index', index: GSI1, of: sale }
              : { in: 'partition', at: () => ({ pk: sale.pk({}), begins: 'SALE#' }) },
        }),
  });
  const returnsOfGroup = defineAggregate({
    ...{ name: 'returns-of-group', of: refund, on: group },
    members: { in: 'partition', at: ({ ids }) => ({ pk: refund.pk(ids), begins: 'RETURN#' }) },
    targetsOf: ({ ids }) => [group.key(ids)],
    computes: { Returns: sum('Amount') },
  });
  return defineConfig({ table, rules: [], aggregates: [salesOfGroup, returnsOfGroup] }).registry();
}

export const groupForms: readonly GroupForm[] = (['delete', 'keep'] as const).flatMap((onEmpty) =>
  (['in a partition', 'by an index', 'in a ledger'] as const).flatMap((found) =>
    (['dead-letter', 'skip'] as const).map((invalid) => ({ onEmpty, found, invalid })),
  ),
);
