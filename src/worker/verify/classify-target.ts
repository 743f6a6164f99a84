import type { Aggregate } from '../../model/aggregate.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { attribute, type Item, keyIn, withKey } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { QueriedTable } from '../propagation/copy-pages.ts';
import { Memory } from '../propagation/item-memory.ts';
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

/**
 * Compares a target with its members, which are read now, strongly consistent. Wrong totals are `derived` drift; right ones
 * of a target with members that were skipped are `invalid`, and the reason names the first of those members.
 */
export async function classifyTarget(
  names: TableNames,
  table: QueriedTable,
  aggregate: Aggregate,
  target: Item,
): Promise<TargetClassification> {
  const key = keyIn(names, target);
  const drift = { rule: aggregate.name, copy: key, root: key, attributes: [], unmapped: [] };
  const invalid = ({ concerns, code, message: reason }: InvalidItemError, computed: Item) => {
    const found = { ...drift, kind: 'invalid', concerns, code, reason } as const;
    return { classification: { is: 'drift', drift: found, discrepancies: {} }, computed } as const;
  };
  let values: Computed = new Map();
  let skipped: InvalidItemError | undefined;
  try {
    const totals = await readTotals({ names, table, pageLimit, memory: new Memory() }, aggregate, target);
    values = totals?.computed() ?? values;
    skipped = totals?.skipped.why;
  } catch (error) {
    if (!(error instanceof InvalidItemError)) throw error;
    return invalid(error, {});
  }
  const differing = differencesFromComputed(target, values);
  const there = Object.fromEntries(
    [...values].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  if (differing.length === 0)
    return skipped === undefined
      ? { classification: { is: 'right' }, computed: there }
      : invalid(withKey(names, skipped), there);
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
