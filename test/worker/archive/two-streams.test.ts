/** One archive that several streams feed: a stack goes from a table to another and back, or to a replica with an older label. */
import { describe, expect, test } from 'vitest';
import { sequenceOf } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import { auditHistory } from '../../../src/operate/archive/audit/audit.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { itemsOf, layouts, statesOf, WorldArchive } from '../../fixtures/world/archive.ts';
import { auditing } from '../../fixtures/world/audit.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const older = 'arn:aws:dynamodb:eu-west-1:1:table/app/stream/2026-01-01T00:00:00.000';
const newer = 'arn:aws:dynamodb:eu-west-1:1:table/app-2/stream/2026-06-01T00:00:00.000';
const noon = Date.UTC(2026, 10, 23, 12);

const first = anOrder({ EndsAt: 1_000 });
const second = anOrder({ EndsAt: 2_000 });
const third = anOrder({ EndsAt: 3_000 });
const key = keyIn(first);
const objectKey = objectKeyOf('Order', key);

class Switched {
  readonly world: WorldArchive;
  private number = 0;

  constructor(spec: Partial<ArchiveRuleSpec> = {}) {
    this.world = new WorldArchive(spec);
  }

  /** What the table does is in this stream, in this second. */
  during(stream: string, at: number, act: (table: WorldArchive['table']) => void): StreamRecord[] {
    act(this.world.table);
    return this.world.records().map(({ id, parsed }) => {
      if ('unreadable' in parsed) return { id, parsed };
      this.number += 1;
      const sequence = sequenceOf(stream, `${stream === older ? 9 : 1}${this.number}`.padEnd(21, '0'), at);
      return { id, parsed: { ...parsed, sequence, at } };
    });
  }

  async archived(...of: Parameters<Switched['during']>): Promise<readonly StreamRecord[]> {
    const records = this.during(...of);
    expect(await this.world.archive(records)).toEqual(new Map());
    return records;
  }

  /** Oldest first. */
  async states(): Promise<Item[]> {
    const reader = this.world.reader();
    return itemsOf(reader, await statesOf(reader, 'Order', key));
  }
}

const put = (item: Item) => (it: WorldArchive['table']) => it.put(item);
const expire = (it: WorldArchive['table']) => it.expire(key);
const remove = (it: WorldArchive['table']) => it.delete(key);

describe('an archive back on a stream with an older label', () => {
  test.each(layouts)('lists the newest state last, in the layout %s', async (layout) => {
    const worker = new Switched({ layout });
    await worker.archived(older, noon, put(first));
    await worker.archived(older, noon + 1_000, expire);
    await worker.archived(newer, noon + 2_000, put(second));
    await worker.archived(newer, noon + 3_000, put(anOrder({ EndsAt: 2_000, Note: 'x' })));
    await worker.archived(newer, noon + 4_000, expire);
    await worker.archived(older, noon + 5_000, put(third));

    expect((await worker.states()).at(-1)).toEqual(third);
  });

  test('stores the last state of an item that was erased on the other stream', async () => {
    const worker = new Switched({ onDelete: 'erase' });
    await worker.archived(newer, noon, put(first));
    await worker.archived(newer, noon + 1_000, remove);
    await worker.archived(older, noon + 2_000, put(second));
    await worker.archived(older, noon + 3_000, expire);

    expect((await worker.states()).at(-1)).toEqual(second);
  });

  test('stores the last state although the object holds an equal one of the other stream', async () => {
    const worker = new Switched();
    await worker.archived(newer, noon, put(first));
    await worker.archived(older, noon + 1_000, expire);

    expect(worker.world.objects.keys()).toEqual([objectKey, expect.stringMatching(/\.json\.\d+$/)]);
    expect(await worker.states()).toEqual([first]);
  });

  test('erases the states of the other stream', async () => {
    const worker = new Switched({ onDelete: 'erase' });
    await worker.archived(newer, noon, put(first));
    await worker.archived(newer, noon + 1_000, expire);
    await worker.archived(newer, noon + 2_000, put(second));
    await worker.archived(older, noon + 3_000, remove);

    expect(worker.world.objects.keys()).toEqual([]);
  });

  test('erases what another stream erased before, when that comes again', async () => {
    const worker = new Switched({ onDelete: 'erase' });
    const life = [...worker.during(newer, noon, put(first)), ...worker.during(newer, noon + 1_000, expire)];
    await worker.world.archive(life);
    await worker.archived(older, noon + 2_000, put(second));
    await worker.archived(older, noon + 3_000, remove);
    await worker.world.archive(life);

    expect(worker.world.objects.keys()).toEqual([]);
  });

  test('keeps a later state of the other stream when an older deletion comes late', async () => {
    const worker = new Switched({ onDelete: 'erase' });
    await worker.archived(newer, noon - 1_000, put(first));
    const late = worker.during(newer, noon, remove);
    await worker.archived(older, noon + 1_000, put(second));
    await worker.archived(older, noon + 2_000, expire);
    await worker.world.archive(late);

    expect(await worker.states()).toEqual([second]);
  });

  test('keeps a state of the same second as a deletion on the other stream', async () => {
    for (const [one, other] of [
      [older, newer],
      [newer, older],
    ] as const) {
      const worker = new Switched({ onDelete: 'erase' });
      const deletion = worker.during(one, noon, (it) => [it.put(first), it.delete(key)]);
      await worker.archived(other, noon, put(second));
      await worker.archived(other, noon, expire);
      await worker.world.archive(deletion);

      expect((await worker.states()).at(-1)).toEqual(second);
    }
  });

  test('never replaces a later state by an older one that comes late', async () => {
    const worker = new Switched();
    const late = worker.during(newer, noon, put(first));
    await worker.archived(older, noon + 1_000, put(second));
    // The table of the other stream, where the item has not changed since.
    worker.during(newer, noon + 2_000, put(first));
    await worker.world.archive(late);

    expect(await worker.states()).toEqual([second]);
  });

  test('stores nothing more when records of both streams come again', async () => {
    const worker = new Switched();
    const records = [
      ...(await worker.archived(newer, noon, put(first))),
      ...(await worker.archived(newer, noon + 1_000, expire)),
      ...(await worker.archived(older, noon + 2_000, put(second))),
      ...(await worker.archived(older, noon + 3_000, expire)),
    ];
    const states = await worker.states();
    for (const record of records) await worker.world.archive([record]);

    expect(await worker.states()).toEqual(states);
    expect(states).toEqual([first, second]);
  });

  test.each(layouts)('is audited without a finding, in the layout %s', async (layout) => {
    const worker = new Switched({ layout });
    await worker.archived(newer, noon, put(first));
    await worker.archived(newer, noon + 1_000, expire);
    await worker.archived(older, noon + 2_000, put(second));
    const ends = await worker.archived(older, noon + 3_000, expire);
    const { running, findings, work } = auditing(worker.world, { read: true });
    const changes = ends.map(({ parsed }) => parsed);
    const page = async () => ({ changes, ended: true });
    await auditHistory(running, {
      history: async () => [{ closed: true, page }],
      clock: work.clock,
      pauseMs: 0,
    });
    await running.finish();

    expect(findings).toEqual([]);
    expect(running.counts).toMatchObject({ ended: 1, read: 1 });
  });
});
