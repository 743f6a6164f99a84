import { describe, expect, test } from 'vitest';
import { FatalError } from '../../../src/model/basics/errors.ts';
import { text } from '../../../src/model/items/item.ts';
import type { ModelWorker, Waiting } from '../../../src/testing/table-model/model-worker.ts';
import type { Settings } from '../../../src/worker/ports.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { aMembership, anIncident, anOrder, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { usernameOnRankThat, world } from '../../fixtures/world/rules.ts';
import { refuse, throttle } from '../../fixtures/world/table-faults.ts';
import { aContender, contenderTotals } from '../../fixtures/world/totals.ts';
import { about, keyIn, oneBatch } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const users = Array.from({ length: 13 }, (_, index) => `user-${String(index).padStart(2, '0')}`);
const memberships = users.map((user) => aMembership(user));
const renamed = aUser({ Name: 'Johannes' });
const closed = anIncident({ State: 'CLOSED' });

/** A worker with a user who has just got another name, and this membership. */
function afterRenaming(
  membership = memberships,
  settings: Partial<Settings> = { pageLimit: 5 },
): ModelWorker {
  const worker = workerOver([aUser(), ...membership], settings);
  worker.table.put(renamed);
  return worker;
}

/** What the table says of an attribute of each participation. */
function participations(worker: ModelWorker, name: string): unknown[] {
  return worker.table.partition('acct_1#incident_a#participations').map(({ item }) => text(item[name]));
}

/** The rechecks that were requested. A recheck of several pages continues without another request. */
function rechecks({ queue }: ModelWorker): Waiting[] {
  return queue.sent.filter(({ message }) => message.recheck === true && message.cursor === undefined);
}

describe('how long a message has waited', () => {
  const message = about('username-on-memberships', aUser());
  const now = 10_000_000;
  const sent = { sentAt: now - 9_000_000, firstReceivedAt: now - 600_000 };

  test.each<[string, object, object]>([
    ['since it was sent', { ...sent, receives: 1 }, { waitMs: 9_000_000 }],
    ['since it was received before, about', { ...sent, receives: 4 }, { waitMs: 200_000 }],
    ['never less than nothing', { sentAt: now + 5 }, { waitMs: 0 }],
    ['unknown if the event does not say', { receives: 2 }, { waitMs: undefined }],
    [
      'of no rule that is not in force',
      { ...sent, body: JSON.stringify({ ...message, rule: 'gone' }) },
      { rule: undefined },
    ],
  ])('is told: %s', async (_, record, told) => {
    const worker = workerOver([aUser()]);
    worker.time = now;

    await fanOutBatch(worker.context, [{ id: 'm-1', body: JSON.stringify(message), ...record }]);

    expect(worker.telemetry.receipts).toMatchObject([{ id: 'm-1', rule: message.rule, ...told }]);
  });
});

describe('a message', () => {
  test.each([
    ['no JSON', '{'],
    ['another JSON', '[]'],
    ['no root', '{"rule":"x","cause":"changed","attempts":0}'],
  ])('with %s stays in the queue, which alone keeps it; the others are processed', async (_, body) => {
    const worker = workerOver([closed, aParticipation('g')]);
    await worker.queue.send([about('incident-on-participations', closed, { cause: 'repair' })]);

    const failed = await fanOutBatch(worker.context, [{ id: 'm-1', body }, ...worker.queue.take()]);

    const message = expect.stringContaining('Expected message m-1 to have a rule, a root and a cause');
    expect([...failed]).toEqual([['m-1', expect.objectContaining({ code: 'message.unreadable', message })]]);
    expect(worker.queue.deadLettered).toEqual([]);
    expect(participations(worker, 'State')).toEqual(['CLOSED']);
  });

  test('that is unreadable asks nothing of the table, which may be away', async () => {
    const worker = workerOver([]);
    const away = () => Promise.reject(new FatalError('table.away', 'Expected no request'));

    const failed = await fanOutBatch({ ...worker.context, pauses: away }, [{ id: 'm-1', body: '[]' }]);

    expect([...failed.keys()]).toEqual(['m-1']);
  });

  test('for an unknown rule is dead-lettered', async () => {
    const worker = workerOver([]);

    await propagate(worker.context, about('gone', anIncident()));

    const reason = 'No enabled rule is called gone';
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', reason, message: { rule: 'gone' } },
    ]);
  });

  test('for a rule whose name an aggregate has now is dead-lettered', async () => {
    const worker = workerOver([aContender('ajax')], {}, contenderTotals);
    const locations = [{ in: 'partition', pk: 'CONTENDER#ajax' } as const];

    await propagate(
      worker.context,
      about(contenderTotals.name, aContender('ajax'), { cause: 'deleted', locations }),
    );

    const reason = expect.stringContaining('is another one now');
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'rule.unknown', reason }]);
  });

  test('for an index that the table has no more is dead-lettered', async () => {
    const worker = workerOver([aUser(), aMembership('s')]);
    const locations = [{ in: 'index', index: 'ByMoon', pk: 'USER#1' } as const];
    const message = about('username-on-memberships', aUser(), { cause: 'deleted', locations });
    await worker.queue.send([message]);

    expect([...(await fanOutBatch(worker.context, worker.queue.take()))]).toEqual([]);

    const reason = 'The table has no index called ByMoon';
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'index.unknown', reason, message }]);
  });

  test('that the table denies is delivered again alone', async () => {
    const worker = workerOver([closed, aParticipation('f'), aParticipation('g'), anOrder()], {
      pageLimit: 1,
    });
    await worker.queue.send([
      about('incident-on-participations', closed),
      about('order-on-user-order', anOrder()),
    ]);
    refuse(worker, ['getMany'], new FatalError('aws.denied', 'was denied'));

    const failed = await fanOutBatch(worker.context, worker.queue.take());

    expect([...failed.keys()]).toEqual(['message-2']);
    expect(worker.queue.sent.slice(2)).toMatchObject([{ message: { cursor: { Sort: 'f' } } }]);
  });

  test('that the table denies fails the batch if it is the only one', async () => {
    const worker = workerOver([anIncident(), aParticipation('g')]);
    await worker.queue.send([about('incident-on-participations', anIncident())]);
    refuse(worker, ['get'], new FatalError('aws.not-found', 'no such table'));

    const error = { code: 'aws.not-found' };
    await expect(fanOutBatch(worker.context, worker.queue.take())).rejects.toMatchObject(error);
    expect(worker.queue.deadLettered).toEqual([]);
  });
});

describe('a fan-out over an index', () => {
  test('is rechecked after a redrive if it was dead-lettered before its last page', async () => {
    const worker = afterRenaming(memberships, { pageLimit: 5, maxUnavailableSeconds: 100 });
    await oneBatch(worker);
    const recover = throttle(worker, 'queryIndex');
    await worker.workOff(1000);
    recover();
    const deadLettered = worker.queue.deadLettered.flatMap(({ message }) => message ?? []);
    expect([deadLettered.length, rechecks(worker).length]).toEqual([1, 0]);

    await worker.queue.send(deadLettered);
    await worker.rest();

    expect([worker.port.counts.itemsWritten, rechecks(worker).length]).toEqual([memberships.length, 1]);
  });

  test('is rechecked although one of its copies is requeued, without a pace', async () => {
    const worker = afterRenaming(memberships, { fanOutWriteUnits: 800, pacedWrites: 1 });
    worker.port.answer = ({ pk }, outcome) => (pk === 'SERVER#user-00' ? 'unavailable' : outcome);

    await oneBatch(worker);

    const [{ message } = expect.fail('no recheck'), ...others] = rechecks(worker);
    expect([others, message.pace]).toEqual([[], undefined]);
    expect(worker.queue.sent.map(({ message: { copies } }) => copies)).toContainEqual([
      keyIn(aMembership('user-00')),
    ]);
    expect(worker.telemetry.propagations).toMatchObject([{ requeued: 1, pace: { unitsPerSecond: 800 } }]);
    expect(worker.telemetry.failures).toMatchObject([
      { code: 'writes.unavailable', rule: 'username-on-memberships', key: keyIn(aMembership('user-00')) },
    ]);
  });

  test('updates both of two locations, through the queue if they have more than a page', async () => {
    const membership = users.map((server, at) =>
      aMembership(server, { OwnerPart: `RANK#${at % 2 === 0 ? 'member' : 'lead'}` }),
    );
    const worker = workerOver(
      [aUser(), ...membership],
      { pageLimit: 3 },
      world(usernameOnRankThat('delete', 'keep')),
    );
    worker.table.put(aUser({ Name: 'Johannes', Rank: 'lead' }));

    await worker.rest();

    const left = worker.table.items().filter((item) => 'UserId' in item);
    expect(left.map(({ Name }) => Name)).toEqual(Array(6).fill({ S: 'Johannes' }));
    expect(rechecks(worker)).toHaveLength(1);
  });
});
