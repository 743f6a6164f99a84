import { counted, number } from '../../model/basics/text.ts';
import type { OnSpent, ReadOptions, TablePort, WriteOptions } from '../../worker/ports.ts';
import type { RunCosts } from '../protocol/changes.ts';

export const noCosts: RunCosts = { runs: 0, shared: 0, readUnits: 0, writeUnits: 0, requests: 0 };

/** The table of one run of the worker. Each answer that says what its request has consumed, indexes included, is booked. */
export function meteredRun(
  port: TablePort,
  book: (cost: Pick<RunCosts, 'readUnits' | 'writeUnits'>) => void,
): TablePort {
  const booked =
    (of: 'readUnits' | 'writeUnits', onSpent?: OnSpent): OnSpent =>
    (own, total) => {
      book({ readUnits: 0, writeUnits: 0, [of]: total });
      onSpent?.(own, total);
    };
  const reads = (options?: ReadOptions) => ({ ...options, onSpent: booked('readUnits', options?.onSpent) });
  const writes = (options?: WriteOptions) => ({
    ...options,
    onSpent: booked('writeUnits', options?.onSpent),
  });
  return {
    get: (key, options) => port.get(key, reads(options)),
    getMany: (keys, options) => port.getMany(keys, reads(options)),
    async query(...asked) {
      const page = await port.query(...asked);
      if (page.units !== undefined) book({ readUnits: page.units, writeUnits: 0 });
      return page;
    },
    update: (updates, options) => port.update(updates, writes(options)),
    transact: (root, actions, options) => port.transact(root, actions, writes(options)),
  };
}

/** Empty before the worker has asked the table for anything. A run reads for all its changes together, so its cost is not divided. */
export function costText({ runs, shared, readUnits, writeUnits, requests }: RunCosts): string {
  if (runs === 0) return '';
  const units = `${counted(readUnits, 'read unit')}, ${counted(writeUnits, 'write unit')} and ${counted(requests, 'request')}`;
  const others =
    shared === 0
      ? ''
      : `, ${shared === runs ? '' : `${number(shared)} of them `}with other changes, whose share is in it`;
  return `${units} in ${counted(runs, 'run')} of the worker${others}`;
}
