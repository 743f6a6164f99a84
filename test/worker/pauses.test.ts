import { describe, expect, test } from 'vitest';
import { TransientError } from '../../src/model/basics/errors.ts';
import { type Item, keyAttributes } from '../../src/model/items/item.ts';
import type { TableNames } from '../../src/model/items/table-names.ts';
import { pauseAttribute, pausesIn, pausesKey } from '../../src/model/rules/pauses.ts';
import { freshForMs, pausesReader, readPauses } from '../../src/worker/pauses.ts';
import { fanOutBatch } from '../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../src/worker/propagation/propagate-batch.ts';
import { table } from '../fixtures/model/table.ts';
import { aMembership, aUser } from '../fixtures/world/items.ts';
import { usernameOnMemberships } from '../fixtures/world/rules.ts';
import { about, keyIn, spent } from '../fixtures/world/worker.ts';
import { workerOver } from '../fixtures/world/world.ts';

const since = '2026-01-01T00:00:00.000Z';
const { name } = usernameOnMemberships;
const key = pausesKey(table) ?? { pk: '', sk: '' };
const paused: Item = { ...keyAttributes(table, key), [pauseAttribute(name)]: { S: since } };
const isPaused = new Map([[name, since]]);

describe('what is paused', () => {
  test('is in one item of the table, an attribute for each rule', async () => {
    const worker = workerOver([paused]);

    expect(pausesIn(paused)).toEqual(isPaused);
    expect(pausesIn(undefined)).toEqual(new Map());
    expect(await readPauses(worker.port, table)).toEqual(isPaused);
  });

  test.each<[string, Partial<TableNames>, object | undefined]>([
    ['text', {}, { pk: '~denorm#PAUSES', sk: 'PAUSES' }],
    ['text alone', { sk: undefined } as never, { pk: '~denorm#PAUSES', sk: '' }],
    ['text and a number', { sk: { name: 'nr', type: 'N' } }, { pk: '~denorm#PAUSES', sk: '0' }],
    ['numbers', { pk: { name: 'id', type: 'N' } }, undefined],
  ])('has a key of its own in a table with keys of %s, if one is free for sure', (_, names, expected) => {
    expect(pausesKey({ ...table, ...names })).toEqual(expected);
  });

  test('is read again when it is 20 seconds old, by all batches of a container', async () => {
    const worker = workerOver([paused]);
    let now = 0;
    const read = pausesReader(table, { now: () => now });

    expect(await read(worker.port)).toEqual(isPaused);
    worker.table.delete(key);
    now = freshForMs - 1;
    expect(await read(worker.port)).toEqual(isPaused);
    now = freshForMs;
    expect(await read(worker.port)).toEqual(new Map());
  });
});

describe('a paused rule', () => {
  const stale = aMembership('s', { Name: 'stale' });

  function pausedWorker(...items: readonly Item[]) {
    const worker = workerOver(items);
    const context = { ...worker.context, pauses: async () => isPaused };
    return { worker, context };
  }

  test('sends what matches to the queue, and reads nothing for it', async () => {
    const { worker, context } = pausedWorker(aUser(), stale);
    worker.table.put(aUser({ Name: 'Jo' }));
    worker.table.put({ ...stale, Name: { S: 'staler' } });
    spent(worker);

    expect(await propagateBatch(context, worker.stream.take())).toEqual(new Map());

    expect(spent(worker)).toEqual({});
    expect(worker.queue.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([900, 900]);
    expect(worker.queue.sent.map(({ message }) => [message.cause, message.copies])).toEqual([
      ['changed', undefined],
      ['check', [keyIn(stale)]],
    ]);
  });

  test('keeps what the queue delivers there, with its limits reset', async () => {
    const { worker, context } = pausedWorker(aUser(), stale);
    const message = about(name, aUser(), { attempts: 11, unavailableSince: 5, recheck: true });

    await fanOutBatch(context, [{ id: '1', body: JSON.stringify(message) }]);

    const { unavailableSince: _, ...asked } = message;
    expect(worker.queue.sent).toMatchObject([{ message: { ...asked, attempts: 0 }, delaySeconds: 900 }]);
    expect(worker.queue.sent[0]?.message).not.toHaveProperty('unavailableSince');
  });

  test('leaves other rules alone', async () => {
    const { worker, context } = pausedWorker(aUser(), stale);

    await propagateBatch({ ...context, pauses: async () => new Map([['another', since]]) }, [
      ...worker.stream.take(),
    ]);
    worker.table.put(aUser({ Name: 'Jo' }));
    await worker.rest();

    expect(worker.table.read(keyIn(stale))).toMatchObject({ Name: { S: 'Jo' } });
  });

  test('catches up with all that waited when it goes on', async () => {
    const { worker, context } = pausedWorker(aUser(), stale);
    worker.table.put(aUser({ Name: 'Jo' }));
    await propagateBatch(context, worker.stream.take());
    expect(worker.table.read(keyIn(stale))).toMatchObject({ Name: { S: 'stale' } });

    await worker.workOff(900);

    expect(worker.table.read(keyIn(stale))).toMatchObject({ Name: { S: 'Jo' } });
  });

  test('cannot be told while the table is away: everything waits as for an outage', async () => {
    const { worker, context } = pausedWorker(aUser(), stale);
    const pauses = () => Promise.reject(new TransientError('table.unavailable', 'Expected an answer'));
    worker.table.put(aUser({ Name: 'Jo' }));

    expect(await propagateBatch({ ...context, pauses }, worker.stream.take())).toEqual(new Map());

    expect(worker.queue.sent).toMatchObject([
      { message: { unavailableSince: worker.time }, delaySeconds: 1 },
    ]);
    expect(spent(worker)).toEqual({});
  });
});
