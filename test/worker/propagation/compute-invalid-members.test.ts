import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { explainItem } from '../../../src/explain/explain.ts';
import { type Item, keyIn } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { type Attributes, item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { codesOf } from '../../fixtures/world/worker.ts';
import { registryOf, workerAfter } from '../../fixtures/world/world.ts';

const queue = defineKind({
  name: 'Queue',
  type: 'Queue',
  pk: 'QUEUE#{queue}',
  sk: 'QUEUE',
  attributes: z.object({ Waiting: z.number().optional() }),
});

const ticket = defineKind({
  name: 'Ticket',
  type: 'Ticket',
  pk: 'QUEUE#{queue}',
  sk: 'TICKET#{ticket}',
  attributes: z.object({ Status: z.enum(['WAITING', 'SERVED']) }),
});

const waiting = defineAggregate({
  name: 'waiting',
  of: ticket,
  on: queue,
  reads: { member: ['Status'] },
  members: [{ in: 'partition', at: ({ ids }) => ({ pk: queue.pk(ids), begins: 'TICKET#' }) }],
  targetsOf: ({ ids, Status }) => (Status === 'WAITING' ? [queue.key({ queue: ids.queue })] : []),
  computes: { Waiting: count() },
});

const skipping: Aggregate = { ...waiting, invalid: 'skip' };
const posting: Aggregate = { ...waiting, ledger: { shards: 1 } };
const why =
  "Expected attribute 'Status' of Ticket to be a value that its schema accepts, found another of type S";

function aTicket(Status: string | undefined, id = '1'): Item {
  return item({ Part: 'QUEUE#a', Sort: `TICKET#${id}`, Kind: 'Ticket', Status });
}

function aQueue(attributes: Attributes = {}): Item {
  return item({ Part: 'QUEUE#a', Sort: 'QUEUE', Kind: 'Queue', ...attributes });
}

/** A queue with two that wait, by a worker that has nothing left to do. */
async function counted(aggregate: Aggregate): Promise<ModelWorker> {
  const worker = await workerAfter([aQueue(), aTicket('WAITING'), aTicket('WAITING', '2')], aggregate);
  expect(worker.table.read(keyIn(table, aQueue()))).toEqual(aQueue({ Waiting: 2 }));
  return worker;
}

function waitingIn({ table: model }: ModelWorker) {
  return model.read(keyIn(table, aQueue()))?.['Waiting'];
}

describe('a member of which targetsOf reads what its schema refuses', () => {
  test.each([['new', '3'] as const, ['changed', '2'] as const])(
    'is dead-lettered if it is %s, with its key and the aggregate',
    async (_, id) => {
      const worker = await counted(waiting);
      worker.table.put(aTicket('waiting', id));
      await worker.rest();

      expect(worker.queue.deadLettered).toContainEqual(
        expect.objectContaining({
          ...{ code: 'member.invalid', reason: expect.stringMatching(`^${why}`) },
          about: { rule: waiting.name, key: keyIn(table, aTicket('waiting', id)) },
        }),
      );
      expect(waitingIn(worker)).toEqual({ N: '2' });
    },
  );

  test('stops its target, until it is corrected', async () => {
    const worker = await counted(waiting);
    worker.table.put(aTicket('waiting'));
    for (const id of ['3', '4']) worker.table.put(aTicket('WAITING', id));
    await worker.rest();
    const before = waitingIn(worker);
    const { length } = worker.queue.deadLettered;
    worker.table.put(aTicket('WAITING'));
    await worker.rest();

    expect(before).toEqual({ N: '2' });
    expect(waitingIn(worker)).toEqual({ N: '4' });
    expect(worker.queue.deadLettered).toHaveLength(length);
  });

  test('keeps its entry in a ledger, and stops no other', async () => {
    const worker = await counted(posting);
    worker.table.put(aTicket('waiting'));
    worker.table.put(aTicket('WAITING', '3'));
    await worker.rest();

    expect(waitingIn(worker)).toEqual({ N: '3' });
    expect(new Set(codesOf(worker))).toEqual(new Set(['member.invalid']));
  });

  test.each([
    ['', skipping],
    [' in a ledger', { ...skipping, ledger: { shards: 1 } }],
  ])('counts nowhere if it is to be skipped%s', async (_, aggregate) => {
    const worker = await counted(aggregate);
    worker.table.put(aTicket('waiting'));
    worker.table.put(aTicket('WAITING', '3'));
    await worker.rest();

    expect(waitingIn(worker)).toEqual({ N: '2' });
    expect(codesOf(worker)).toEqual([]);
  });

  test('is counted as skipped when its target is computed', async () => {
    const worker = await counted(skipping);
    worker.table.put(aTicket('waiting'));
    await worker.rest();

    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ skipped: 1 });
  });

  test('names no target if it lacks the attribute, or has NULL there', async () => {
    const worker = await counted(waiting);
    worker.table.put(aTicket(undefined));
    worker.table.put({ ...aTicket(undefined, '2'), Status: { NULL: true } });
    await worker.rest();

    expect(waitingIn(worker)).toEqual({ N: '0' });
    expect(codesOf(worker)).toEqual([]);
  });

  test('is invalid to explain', async () => {
    const worker = await counted(waiting);
    worker.table.put(aTicket('waiting'));
    const options = { registry: registryOf(waiting), table: worker.port, settings: defaultSettings };
    const { subjects } = await explainItem(options, keyIn(table, aTicket('')));

    expect(subjects[0]?.rules).toMatchObject([{ rule: 'waiting', because: 'failed' }]);
  });
});

describe('verify reports such a member', () => {
  const lost = item({ Part: 'QUEUE#gone', Sort: 'TICKET#1', Kind: 'Ticket', Status: 'waiting' });

  test.each([
    ['in a partition,', waiting],
    ['of a ledger,', posting],
  ])('%s though no target has it', async (_, aggregate) => {
    const search = new WorldSearch([lost], aggregate);
    await search.run();

    expect(search.found).toMatchObject([
      {
        kind: 'invalid',
        copy: keyIn(table, lost),
        code: 'member.invalid',
        reason: expect.stringContaining(why),
      },
    ]);
    expect(search.found[0]).not.toHaveProperty('root');
    expect((await search.propagations().repair(search.found)).propagations).toBe(0);
  });

  test('and its target', async () => {
    const search = new WorldSearch([aQueue({ Waiting: 0 }), aTicket('waiting')], waiting);
    await search.run();

    expect(search.lines()).toEqual(['invalid waiting QUEUE#a QUEUE', 'invalid waiting QUEUE#a TICKET#1']);
  });

  test('only as a reason of its target if it is to be skipped', async () => {
    const search = new WorldSearch([aQueue({ Waiting: 0 }), aTicket('waiting')], skipping);
    await search.run();

    expect(search.lines()).toEqual(['invalid waiting QUEUE#a QUEUE']);
  });

  test('as a backfill does, which leaves alone what it cannot post', async () => {
    const search = new WorldSearch([lost], posting);

    expect((await search.backfill(posting)).leftAlone).toMatchObject([{ code: 'member.invalid' }]);
  });
});

describe('a copy of which rootOf reads what its schema refuses', () => {
  const note = defineKind({
    name: 'Note',
    pk: 'NOTE#{note}',
    sk: 'NOTE',
    attributes: z.object({ Queue: z.string().min(1), Waiting: z.number().optional() }),
  });
  const waitingOnNotes = defineRule({
    name: 'waiting-on-notes',
    root: queue,
    copy: note,
    reads: { copy: ['Queue'] },
    located: { in: 'index', index: table.indexes.ByOwner, at: ({ ids }) => ({ pk: queue.pk(ids) }) },
    rootOf: ({ Queue }) => queue.key({ queue: Queue }),
    copies: ['Waiting'],
    onDelete: 'keep',
    onExpire: 'keep',
    onUnlink: 'delete',
  });
  const keys = { Part: 'NOTE#1', Sort: 'NOTE', OwnerPart: 'QUEUE#a', OwnerSort: 'x', Waiting: 1 };
  const followed = item({ ...keys, Queue: 'a' });

  async function changedTo(copy: Item) {
    const worker = await workerAfter([aQueue({ Waiting: 1 }), followed], waitingOnNotes);
    worker.table.put(copy);
    await worker.rest();
    return [worker.table.read(keyIn(table, copy)), codesOf(worker)];
  }

  test('stays, and is dead-lettered: it did not stop naming its root', async () => {
    const invalid = item({ ...keys, Queue: 7 });

    expect(await changedTo(invalid)).toEqual([invalid, ['copy.invalid']]);
  });

  test('follows onUnlink if it lacks the attribute', async () => {
    expect(await changedTo(item(keys))).toEqual([undefined, []]);
  });
});
