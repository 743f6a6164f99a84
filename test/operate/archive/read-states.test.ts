import { describe, expect, test } from 'vitest';
import { afterAll } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import type { StateFilter } from '../../../src/operate/archive/listed-states.ts';
import { described, keepingBatches, listItems, readState } from '../../../src/operate/archive/read-states.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import type { ArchiveReader } from '../../../src/worker/archive/ports.ts';
import {
  CruiseArchive,
  collected,
  itemsOf,
  layouts,
  listedStates,
  statesOf,
  watchedReader,
} from '../../fixtures/cruises/cruise-archive.ts';
import { aLeg, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const key = keyIn(aTicket());

describe.each(layouts)('the archive in the layout %s', (layout) => {
  function opened(spec: Partial<ArchiveRuleSpec> = {}): CruiseArchive {
    return new CruiseArchive({ layout, ...spec });
  }

  test('contains one state of an item that ended in its archived state', async () => {
    const cruise = opened();
    await cruise.expired(expiring());

    const states = await statesOf(cruise.reader(), 'Ticket', key);
    expect(states.map(({ final }) => final)).toEqual([layout === 'batch']);
    expect(await itemsOf(cruise.reader(), states)).toEqual([expiring()]);
  });

  test('orders a life whose records are late before the one that was archived in the meantime', async () => {
    const cruise = opened();
    await cruise.archived(expiring({ Price: 1 }));
    cruise.table.put(expiring({ Price: 2 }));
    cruise.table.expire(key);
    const late = cruise.worker.archiveStream.take();
    await cruise.archived(expiring({ Price: 3 }));
    await archiveBatch(cruise.worker.archiveContext, late);

    const states = await statesOf(cruise.reader(), 'Ticket', key);
    const held = await itemsOf(cruise.reader(), states);
    expect(held.map(({ Price }) => Price)).toEqual([{ N: '1' }, { N: '2' }, { N: '3' }]);
    expect(await collected(listItems(cruise.reader(), table))).toEqual([{ kind: 'Ticket', key, states }]);
  });

  test('lists the states of many items, by kind, by key and by time', async () => {
    const cruise = opened();
    const tickets = ['a', 'ab', 'b'].map((id) => expiring({ Part: `TICKET#${id}` }));
    await cruise.archived(...tickets, aLeg({ Part: 'TICKET#ab', EndsAt: 1 }), aVoyage({ EndsAt: 1 }));
    const times = (await keysListed(cruise, {})).length;

    expect(times).toBe(5);
    expect(await keysListed(cruise, { kinds: ['Ticket'] })).toEqual(tickets.map(keyIn));
    expect(await keysListed(cruise, { pkBegins: 'TICKET#a' })).toHaveLength(3);
    expect(await keysListed(cruise, { kinds: ['Ticket'], pkBegins: 'TICKET#a' })).toHaveLength(2);
    expect(await keysListed(cruise, { kinds: ['Ticket', 'Leg'], skBegins: 'LEG#' })).toHaveLength(1);
    expect(await keysListed(cruise, { kinds: [] })).toEqual([]);
    expect(await keysListed(cruise, { kinds: ['None'] })).toEqual([]);
    const [first] = await listedStates(cruise.reader(), table);
    const at = first?.archivedAt ?? 0;
    expect(await keysListed(cruise, { from: at, until: at + 1 })).not.toEqual([]);
    expect(await keysListed(cruise, { from: at, until: at })).toEqual([]);
    expect(await keysListed(cruise, { until: 1 })).toEqual([]);
    expect(await keysListed(cruise, { from: Date.UTC(2100, 0, 1) })).toEqual([]);
  });

  test('lists items together with their states of every life', async () => {
    const cruise = opened();
    // One key is a prefix of another, so that their listings mix.
    const ids = ['a', 'a.json', 'a.json.5', 'a0', '🐻', '..'];
    for (const price of [1, 2])
      for (const id of ids) {
        cruise.table.put(expiring({ Price: price, Part: 'TICKET#t', Sort: 'TICKET' }));
        cruise.table.put(aLeg({ Sort: `LEG#${id}`, PortId: String(price), EndsAt: 1 }));
        cruise.table.expire(keyIn(aLeg({ Sort: `LEG#${id}` })));
      }
    await cruise.worker.archiveRest();

    const items = await collected(listItems(cruise.reader(), table, { kinds: ['Leg'] }));
    expect(items.map((item) => item.key?.sk).sort()).toEqual(ids.map((id) => `LEG#${id}`).sort());
    for (const item of items) {
      const held = await itemsOf(cruise.reader(), item.states);
      expect(held.map(({ PortId }) => PortId)).toEqual([{ S: '1' }, { S: '2' }]);
      expect(await statesOf(cruise.reader(), 'Leg', must(item.key))).toEqual(item.states);
    }
  });

  test('finds items whose keys are too long for S3', async () => {
    const cruise = opened();
    const long = aLeg({ Sort: `LEG#${'🐻'.repeat(250)}`, EndsAt: 1 });
    await cruise.archived(long, aLeg({ Sort: 'LEG#x', EndsAt: 1 }));

    const found = await collected(
      listItems(cruise.reader(), table, { kinds: ['Leg'], pkBegins: 'TICKET#', skBegins: 'LEG#🐻' }),
    );
    expect(found.map((item) => item.key)).toEqual([keyIn(long)]);
    expect(await itemsOf(cruise.reader(), found[0]?.states ?? [])).toEqual([long]);
    expect(await statesOf(cruise.reader(), 'Leg', keyIn(long))).toHaveLength(1);
    expect(await keysListed(cruise, { kinds: ['Leg'] })).toHaveLength(2);
  });

  test('names the item of a state in Glacier, even if its key is too long for S3', async () => {
    const cruise = opened({ storageClass: 'DEEP_ARCHIVE' });
    const long = aLeg({ Sort: `LEG#${'🐻'.repeat(250)}`, EndsAt: 1 });
    await cruise.archived(long);

    expect(await keysListed(cruise, { pkBegins: 'TICKET#' })).toEqual([keyIn(long)]);
  });

  test('reports an item that does not match the digest of an object that was only listed', async () => {
    const cruise = opened();
    await cruise.archived(expiring());
    const [listed] = await listedStates(cruise.reader(), table);
    const another = Buffer.from('{"Item":{"Kind":{"S":"Ticket"}}}');

    await expect(
      readState({ ...cruise.reader(), read: async () => another }, must(listed)),
    ).rejects.toMatchObject({ code: 'archive.damaged' });
  });

  test('reports a state that was erased after it was listed', async () => {
    const cruise = opened();
    await cruise.archived(expiring());
    const [state] = await listedStates(cruise.reader(), table);
    for (const objectKey of cruise.worker.archive.keysBelow(''))
      await cruise.worker.archive.erase(objectKey, afterAll);

    await expect(readState(cruise.reader(), must(state))).rejects.toMatchObject({ code: 'archive.missing' });
    if (layout === 'object') expect(await described(cruise.reader(), must(state))).toBeUndefined();
  });
});

describe('a batch that differs from what was put', () => {
  test.each([1, 2])('is damaged if it lacks line %i', async (line) => {
    const cruise = new CruiseArchive({ layout: 'batch' });
    await cruise.archived(expiring());
    const [state] = await statesOf(cruise.reader(), 'Ticket', key);

    await expect(readState(cruise.reader(), { ...must(state), line })).rejects.toMatchObject({
      code: 'archive.damaged',
    });
  });

  test('is damaged if it cannot be decompressed, and the reason is included', async () => {
    const cruise = new CruiseArchive({ layout: 'batch' });
    await cruise.archived(expiring());
    const [state] = await statesOf(cruise.reader(), 'Ticket', key);
    const reader: ArchiveReader = { ...cruise.reader(), read: async () => Buffer.from('no batch') };

    await expect(readState(reader, must(state))).rejects.toMatchObject({
      code: 'archive.damaged',
      cause: { code: 'Z_DATA_ERROR' },
    });
  });
});

describe('keepingBatches', () => {
  test('reads a batch once for many of its lines, and another one again after four more', async () => {
    const cruise = new CruiseArchive({ layout: 'batch' });
    for (let batch = 0; batch < 6; batch += 1)
      await cruise.archived(...[1, 2, 3].map((id) => expiring({ Part: `TICKET#${batch}${id}` })));
    const { reader: inner, asked: read } = watchedReader(cruise.reader());
    const reader = keepingBatches(inner);
    const states = await listedStates(reader, table);
    read.length = 0;

    for (const state of [...states].sort((a, b) => (a.objectKey < b.objectKey ? -1 : 1)))
      await readState(reader, state);
    expect(read).toHaveLength(6);
    await readState(reader, must(states.find(({ objectKey }) => read[0] === `read ${objectKey}`)));
    expect(read).toHaveLength(7);
  });
});

function expiring(attributes: Parameters<typeof aTicket>[0] = {}): Item {
  return aTicket({ EndsAt: 1_000, ...attributes });
}

async function keysListed(cruise: CruiseArchive, filter: StateFilter) {
  return (await listedStates(cruise.reader(), table, filter)).map((state) => state.key);
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('Expected a state');
  return value;
}
