import { expect, test } from 'vitest';
import { DenormError } from '../../../src/model/basics/errors.ts';
import { sequenceOf } from '../../../src/model/items/change.ts';
import type { Item, ItemKey } from '../../../src/model/items/item.ts';
import type { ArchivedState } from '../../../src/operate/archive/archived-state.ts';
import { type StatusContext, withStatus } from '../../../src/operate/archive/item-status.ts';
import type { ArchivedItem } from '../../../src/operate/archive/read-states.ts';
import { bodyOf, digestOf, restoredKeyOf, restoredMark } from '../../../src/worker/archive/object.ts';
import { item } from '../../fixtures/model/items.ts';
import { table as names } from '../../fixtures/model/table.ts';
import { collected } from '../../fixtures/world/archive.ts';

const now = Date.UTC(2026, 0, 31, 12);
const key = (id: string): ItemKey => ({ pk: `ORDER#${id}`, sk: 'METADATA' });

function state(id: string, more: Partial<ArchivedState> = {}): ArchivedState {
  return {
    ...{ kind: 'Order', key: key(id), objectKey: id, versionId: 'v', line: undefined, final: false },
    ...{ archivedAt: 0, sequence: undefined, digest: undefined, bytes: 1, storageClass: 'STANDARD', ...more },
  };
}

/** An archive of orders with these expiries, in epoch seconds, and a table with some of them. */
function world(expiries: Readonly<Record<string, number | undefined>>, inTable: readonly string[] = []) {
  const bodies = new Map<string, Item>(
    Object.entries(expiries).map(([id, EndsAt]) => {
      const { pk: Part, sk: Sort } = key(id);
      return [id, item({ Part, Sort, ...(EndsAt !== undefined && { EndsAt }) })];
    }),
  );
  const context: StatusContext = {
    names,
    clock: { now: () => now, sleep: async () => {} },
    notes: {
      read: async (noteKey) =>
        noteKey === restoredKeyOf('Order', key('restored')) ? restoredMark(now) : undefined,
    },
    table: {
      getMany: async (keys) =>
        keys.flatMap((one) => {
          const id = one.pk.slice('ORDER#'.length);
          return inTable.includes(id) ? [{ key: one, item: bodies.get(id) ?? {} }] : [];
        }),
    },
    reader: {
      list: async () => ({ versions: [], next: undefined }),
      retrieve: async () => {},
      details: async (id) => {
        const digest = digestOf(bodies.get(id) ?? {});
        const head = { etag: '', digest, sequence: 0n, of: undefined };
        return { ...head, storageClass: 'STANDARD', retrieval: 'none' };
      },
      read: async (id) => Buffer.from(bodyOf(bodies.get(id) ?? {}, new Uint8Array())),
    },
  };
  async function statuses(...states: readonly ArchivedState[]) {
    async function* items(): AsyncGenerator<ArchivedItem> {
      for (const one of states) yield { kind: 'Order', key: one.key, states: [one] };
    }
    return (await collected(withStatus(context, items()))).map(({ status }) => status);
  }
  return { context, statuses };
}

const passed = now / 1_000 - 60;

test('an item is in the table, restored, expired or gone', async () => {
  const { statuses } = world(
    { there: passed, restored: undefined, over: passed, early: now / 1_000 + 60, lasting: undefined },
    ['there', 'restored'],
  );

  expect(
    await statuses(state('there'), state('restored'), state('over'), state('early'), state('lasting')),
  ).toEqual([
    { is: 'in table', expiresAt: passed * 1_000 },
    { is: 'restored', expiresAt: undefined, restoredAt: now },
    { is: 'expired', expiresAt: passed * 1_000 },
    { is: 'gone', expiresAt: now + 60_000 },
    { is: 'gone', expiresAt: undefined },
  ]);
});

test('an item that was deleted before its expiry has not expired, however long ago that is', async () => {
  const { statuses } = world({ deleted: passed, over: passed });
  const endedAt = (at: number) =>
    sequenceOf('arn:aws:dynamodb:eu-west-1:1:table/app/stream/2026-01-01T00:00:00.000', '1', at);
  const last = (id: string, at: number) => state(id, { final: true, sequence: endedAt(at) });

  expect(await statuses(last('deleted', passed * 1_000 - 5_000), last('over', passed * 1_000))).toMatchObject(
    [{ is: 'gone', expiresAt: passed * 1_000 }, { is: 'expired' }],
  );
});

test('what cannot be known is said: a key in Glacier, a state in Glacier, a year that no calendar has', async () => {
  const { context, statuses } = world({ far: 1e30 });
  expect(await statuses(state('far'), state('hashed', { key: undefined }))).toEqual([
    { is: 'gone', expiresAt: undefined },
    { is: 'unknown' },
  ]);
  const refuses = (code: string) => async () => {
    throw new DenormError(code, 'it is in Glacier');
  };
  Object.assign(context.reader, { read: refuses('archive.not-retrieved') });
  expect(await statuses(state('frozen'))).toEqual([{ is: 'gone', expiresAt: undefined }]);
  Object.assign(context.reader, { read: refuses('aws.denied') });
  await expect(statuses(state('denied'))).rejects.toMatchObject({ code: 'aws.denied' });
});
