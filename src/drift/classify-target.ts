import type { Aggregate } from '../model/aggregate.ts';
import { InvalidItemError } from '../model/errors.ts';
import { attribute, type Item, keyIn } from '../model/item.ts';
import type { TableNames } from '../model/table-names.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import { differencesFromComputed } from '../propagation/plan/plan-totals.ts';
import type { Computed } from '../propagation/plan/totals.ts';
import { readTotals } from '../propagation/read-totals.ts';
import type { CopyClassification } from './classify-copy.ts';

/** Members that are read together. */
const pageLimit = 500;

/** How a target compares with its members, and what they say it should have: empty if that is unknown. */
export interface TargetClassification {
  readonly classification: CopyClassification;
  readonly computed: Item;
}

/** Compares a target with its members, which are read now, strongly consistent. Wrong totals are `derived` drift. */
export async function classifyTarget(
  names: TableNames,
  table: QueriedTable,
  aggregate: Aggregate,
  target: Item,
): Promise<TargetClassification> {
  const key = keyIn(names, target);
  const drift = { rule: aggregate.name, copy: key, root: key, attributes: [], unmapped: [] };
  let computed: Computed | undefined;
  try {
    computed = await readTotals({ names, table, pageLimit }, aggregate, target);
  } catch (error) {
    if (!(error instanceof InvalidItemError)) throw error;
    const { concerns, code, message: reason } = error;
    const invalid = { ...drift, kind: 'invalid', concerns, code, reason } as const;
    return { classification: { is: 'drift', drift: invalid, discrepancies: {} }, computed: {} };
  }
  const values = computed ?? new Map();
  const differing = differencesFromComputed(target, values);
  const there = Object.fromEntries([...values].filter(([, value]) => value !== undefined));
  if (differing.length === 0) return { classification: { is: 'right' }, computed: there };
  const discrepancies = Object.fromEntries(
    differing.map((name) => [name, { is: attribute(target, name), wanted: values.get(name) }]),
  );
  return {
    classification: {
      is: 'drift',
      drift: { ...drift, kind: 'derived', attributes: differing.toSorted() },
      discrepancies,
    },
    computed: there,
  };
}
