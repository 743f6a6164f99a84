import { describe, expect, test } from 'vitest';
import { type Item, keyOf } from '../../../src/model/items/item.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { checkCopies } from '../../../src/worker/propagation/check-copies.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { incidentOnParticipations, usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { throttle } from '../../fixtures/world/table-faults.ts';
import { keyIn, oneBatch, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const stale = aMembership('s', { Name: 'stale' });
const incident = keyIn(anIncident());

/** A check of this image, by the record of this number. */
function check(rule: Rule, root: Item, image: Item, id = '1', changedAt = 7) {
  return { rule: bound(rule), root: keyIn(root), copy: keyIn(image), image, ids: [id], changedAt };
}

const ofUser = (image: Item, id?: string, changedAt?: number) =>
  check(usernameOnMemberships, aUser(), image, id, changedAt);

describe('a copy that is checked', () => {
  test('and differs from its root is propagated to, it alone, for its record', async () => {
    const worker = workerOver([aUser()]);

    expect(await checkCopies(worker.context, [ofUser(stale, '1', 7), ofUser(aMembership('t'), '2')])).toEqual(
      [
        {
          ...{ ids: ['1'], changedAt: 7 },
          message: {
            ...{ rule: 'username-on-memberships', root: keyIn(aUser()), cause: 'check' },
            ...{ copies: [keyIn(stale)], attempts: 0 },
          },
        },
      ],
    );
    expect(worker.telemetry.checks).toEqual([{ copies: 2, differing: 1, orphans: 0 }]);
  });

  test.each<[string, readonly Item[], Item, object]>([
    ['is as its root says', [aUser()], aMembership('s'), { orphans: 0 }],
    ['has no root, which only a record of the root can say', [], stale, { orphans: 1 }],
    ['has a root of another kind', [aUser({ Kind: 'Boat' })], stale, { orphans: 1 }],
    ['is where its root places none', [aUser()], aMembership('s', { OwnerPart: 'USER#2' }), { orphans: 0 }],
  ])('and %s is left alone', async (_, roots, image, counts) => {
    const worker = workerOver(roots);

    expect(await checkCopies(worker.context, [ofUser(image)])).toEqual([]);
    expect(worker.telemetry.checks).toEqual([{ copies: 1, differing: 0, ...counts }]);
  });

  test('and is invalid is propagated to: what is invalid may be old', async () => {
    const worker = workerOver([aUser({ Name: undefined })]);

    expect(await checkCopies(worker.context, [ofUser(aMembership('s'))])).toHaveLength(1);
    expect(worker.queue.deadLettered).toEqual([]);
  });
});

describe('copies of one root that are checked together', () => {
  test('are one propagation, for all their records, and one read of the root', async () => {
    const worker = workerOver([aUser()]);
    const [t, older] = [aMembership('t', { Name: 'stale' }), aMembership('s', { Name: 'older' })];

    const needed = await checkCopies(worker.context, [ofUser(older), ofUser(stale, '2', 5), ofUser(t, '3')]);

    expect(needed).toMatchObject([
      { ids: ['1', '2', '3'], changedAt: 5, message: { copies: [keyIn(stale), keyIn(t)] } },
    ]);
    expect(spent(worker)).toMatchObject({ itemsRead: 1 });
  });

  test('are as many propagations as rules, and roots, differ', async () => {
    const worker = workerOver([aUser(), anIncident(), anIncident({ Sort: 'incident_b' })]);
    const part = 'acct_1#incident_b#participations';
    const ofIncident = (Sort: string, image: Item) =>
      check(incidentOnParticipations, anIncident({ Sort }), image);

    const needed = await checkCopies(worker.context, [
      ofUser(stale),
      ofIncident('incident_a', aParticipation('g', { State: 'stale' })),
      ofIncident('incident_b', aParticipation('g', { Part: part, State: 'stale' })),
    ]);

    expect(needed.map(({ message }) => message.root)).toEqual([
      ...[keyIn(aUser()), incident, keyOf(table, anIncident({ Sort: 'incident_b' }))],
    ]);
  });
});

test('checks whose roots cannot be read now are requeued with their copies', async () => {
  const worker = workerOver([anIncident()]);
  for (const user of ['f', 'g']) worker.table.put(aParticipation(user, { State: 'stale' }));
  const copies = ['f', 'g'].map((user) => keyIn(aParticipation(user)));
  const recover = throttle(worker, 'getMany');

  expect([...(await oneBatch(worker))]).toEqual([]);
  expect(worker.telemetry.checks).toEqual([]);

  const message = { cause: 'check', copies, attempts: 0, unavailableSince: worker.time };
  expect(worker.queue.sent).toMatchObject([{ delaySeconds: 1, message }]);
  recover();
  await worker.rest();
  expect(worker.table.read(keyIn(aParticipation('g')))).toMatchObject({ State: { S: 'OPEN' } });
});

test('no checks read nothing and tell nothing', async () => {
  const worker = workerOver([aUser()]);

  expect(await checkCopies(worker.context, [])).toEqual([]);
  expect([spent(worker), worker.telemetry.checks]).toEqual([{}, []]);
});
