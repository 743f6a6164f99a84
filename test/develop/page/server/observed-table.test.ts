import { expect, test } from 'vitest';
import { observedTable } from '../../../../src/develop/page/server/observed-table.ts';
import type { WriteOutcome } from '../../../../src/model/guarded-write.ts';
import { isCreation } from '../../../../src/model/guarded-write.ts';
import type { TablePort } from '../../../../src/worker/ports.ts';

const key = { pk: 'a', sk: 'b' };

const empty = async () => ({ entries: [], next: undefined });

/** The port, what was used through it, and what its observer has heard. */
function observed(port: Partial<TablePort>) {
  const used = { requests: 0, readUnits: 0 };
  const heard: string[] = [];
  const tell = (what: string) => {
    heard.push(what);
    return (isWritten: boolean) => heard.push(`${what}: ${isWritten}`);
  };
  const table = observedTable(
    {
      ...{ get: async () => undefined, getMany: async () => [], query: empty },
      ...{ update: async () => [], transact: async () => [] },
      ...port,
    },
    used,
    {
      updating: ({ rule }) => tell(`update by ${rule}`),
      transacting: (action, root) => tell(`${isCreation(action) ? 'creation' : 'removal'} for ${root.pk}`),
    },
  );
  return { table, used, heard };
}

const update = (rule: string) => ({ key, set: {}, remove: [], expect: {}, rule });

test('counts requests, and the read units that the table says', async () => {
  const { table, used } = observed({
    get: async (_, { onSpent } = {}) => {
      onSpent?.(3, 3);
      return undefined;
    },
    getMany: async (_, { onSpent } = {}) => {
      for (const units of [100, 50]) onSpent?.(units, units);
      return [];
    },
    query: async () => ({ entries: [], next: undefined, units: 5 }),
  });
  await table.get(key);
  expect(used).toEqual({ requests: 1, readUnits: 3 });
  await table.getMany(Array.from({ length: 150 }, (_, at) => ({ pk: 'a', sk: `${at}` })));
  expect(used).toEqual({ requests: 3, readUnits: 153 });
  await table.query({ in: 'partition', pk: 'a' }, 10);
  expect(used).toEqual({ requests: 4, readUnits: 158 });
});

test('tells of a write before it is sent, and then whether it was made', async () => {
  const outcomes: WriteOutcome[] = ['written', 'lost'];
  const { table, used, heard } = observed({
    update: async (_, { onSpent } = {}) => {
      heard.push('sent');
      onSpent?.(1, 2);
      return outcomes;
    },
  });
  expect(await table.update([update('one'), update('two')])).toEqual(outcomes);

  expect(heard).toEqual([
    'update by one',
    'update by two',
    'sent',
    'update by one: true',
    'update by two: false',
  ]);
  expect(used.requests).toBe(1);
});

test('tells that a write was not made if its request fails', async () => {
  const { table, heard } = observed({ transact: () => Promise.reject(new Error('no')) });
  const removal = { key, clear: undefined, expect: {}, size: 1 };
  await expect(table.transact({ key: { pk: 'root', sk: 'r' }, expect: 'absent' }, [removal])).rejects.toThrow(
    'no',
  );

  expect(heard).toEqual(['removal for root', 'removal for root: false']);
});
