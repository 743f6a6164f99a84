import { describe, expect, test } from 'vitest';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { aBooking, aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../../fixtures/cruises/cruise-worker.ts';

const aboutVoyage = {
  rule: 'voyage-on-bookings',
  root: keyIn(aVoyage()),
  cause: 'changed',
  attempts: 0,
} as const;
const aboutTicket = { root: keyIn(aTicket()), cause: 'changed', attempts: 0 } as const;
const legs = { in: 'partition', pk: 'TICKET#t', begins: 'LEG#' } as const;

test('a propagation names its rule in each update, so that a report can name it', async () => {
  const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
  const rules: unknown[] = [];
  worker.port.before = (request) => {
    if (request.kind === 'update') rules.push(...request.updates.map(({ rule }) => rule));
  };

  await propagateMessage(worker.context, aboutVoyage);

  expect(rules).toEqual(['voyage-on-bookings']);
});

describe('a propagation counts', () => {
  test('items in the location that do not belong to its root', async () => {
    const worker = workerOver([aTicket(), aLeg({ Kind: 'Arm' }), aLeg({ Sort: 'LEG#2', Kind: 'Arm' })]);

    expect(await propagateMessage(worker.context, { ...aboutTicket, rule: 'date-on-legs' })).toMatchObject({
      foreign: 2,
      orphans: 0,
      unchanged: 0,
    });
  });

  test('copies whose root does not exist', async () => {
    const worker = workerOver([aLeg(), aLeg({ Sort: 'LEG#2' })]);

    expect(
      await propagateMessage(worker.context, { ...aboutTicket, rule: 'date-on-legs', locations: [legs] }),
    ).toMatchObject({ orphans: 2, foreign: 0 });
  });

  test('lost conditions, including the root’s, but not unavailable writes', async () => {
    const throttled = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
    throttled.port.answer = () => 'unavailable';
    expect(await propagateMessage(throttled.context, aboutVoyage)).toMatchObject({
      lost: 0,
      written: 0,
      requeued: 1,
    });

    const removing = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('delete', 'keep')));
    removing.table.delete(keyIn(aSailor()));
    removing.port.before = ({ kind }) => {
      if (kind === 'remove') removing.table.put(aSailor());
    };
    await oneBatch(removing);
    expect(removing.telemetry.propagations).toMatchObject([
      { cause: 'deleted', lost: 1, removed: 0, unchanged: 1 },
    ]);
  });

  test('dead letters', async () => {
    const worker = workerOver([aTicket(), aLeg({ PortId: undefined }), aLeg({ Sort: 'LEG#2' })]);

    expect(await propagateMessage(worker.context, { ...aboutTicket, rule: 'date-on-legs' })).toMatchObject({
      deadLettered: 1,
      unchanged: 1,
    });
  });
});

describe('a dead letter says what a person needs', () => {
  test('for a copy: its location, its root and the cause', async () => {
    const worker = workerOver([aTicket(), aLeg({ PortId: undefined })]);

    await propagateMessage(worker.context, { ...aboutTicket, rule: 'date-on-legs', locations: [legs] });

    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'copy.invalid',
        message: {
          ...aboutTicket,
          rule: 'date-on-legs',
          locations: [legs],
          copies: [{ pk: 'TICKET#t', sk: 'LEG#1' }],
        },
      },
    ]);
  });

  test('for a write that DynamoDB refuses', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
    worker.port.answer = () => 'refused';

    await propagateMessage(worker.context, aboutVoyage);

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.refused', reason: 'DynamoDB refuses this write of this copy, whenever it is tried' },
    ]);
  });

  test('for an unknown rule', async () => {
    const worker = workerOver([]);

    await propagateMessage(worker.context, { ...aboutVoyage, rule: 'gone' });

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'rule.unknown', reason: 'No enabled rule is called gone' },
    ]);
  });

  test('for exhausted attempts: the number of deliveries', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')], { maxAttempts: 4, rounds: 1 });
    worker.port.answer = () => 'lost';

    await propagateMessage(worker.context, { ...aboutVoyage, copies: [keyIn(aBooking('g'))], attempts: 4 });

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'attempts.exceeded', reason: 'Gave up after 4 deliveries that did not advance' },
    ]);
  });

  test.each(['deleted', 'expired'] as const)(
    'for a removed root that cannot locate its copies: %s',
    async (cause) => {
      const worker = workerOver([]);

      await propagateMessage(worker.context, { ...aboutVoyage, cause });

      expect(worker.queue.deadLettered).toMatchObject([
        {
          code: 'root.unlocatable',
          reason:
            'Rule voyage-on-bookings cannot locate the copies of this removed root: its last image lacks what located.at reads',
          message: { cause },
        },
      ]);
    },
  );
});

describe('a propagation for a root that does not exist', () => {
  test('reads nothing else if the root was not removed', async () => {
    const worker = workerOver([aCrewing('s')]);

    await propagateMessage(worker.context, {
      rule: 'name-on-crew',
      root: keyIn(aSailor()),
      cause: 'repair',
      attempts: 0,
    });

    expect(spent(worker)).toEqual({ get: 1 });
  });
});

describe('copies that a few rounds did not update', () => {
  const copies = ['a', 'b'].map((guest) => keyIn(aBooking(guest)));

  test('count as progress if others of their page were updated', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('a'), aBooking('b')], { rounds: 1 });
    worker.port.answer = ({ sk }, outcome) => (sk === 'a' ? 'lost' : outcome);

    await propagateMessage(worker.context, { ...aboutVoyage, copies, attempts: 5 });

    expect(worker.queue.sent).toMatchObject([
      { delaySeconds: 1, message: { copies: [copies[0]], attempts: 1 } },
    ]);
  });

  test('do not count as progress if no copy of the page was updated', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('a'), aBooking('b')], { rounds: 1 });
    worker.port.answer = () => 'lost';

    await propagateMessage(worker.context, { ...aboutVoyage, copies, attempts: 5 });

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 32, message: { copies, attempts: 6 } }]);
  });
});
