import { describe, expect, test } from 'vitest';
import { fanOutBatch } from '../../src/propagation/fan-out-batch.ts';
import { turn } from '../../src/propagation/propagate-root.ts';
import { aBooking, aCrewing, aLeg, aSailor, aTicket, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrewThat } from '../fixtures/cruises/cruise-rules.ts';
import { keyIn, oneBatch, spent, workerOver } from '../fixtures/cruises/cruise-worker.ts';

const aboutVoyage = {
  rule: 'voyage-on-bookings',
  root: keyIn(aVoyage()),
  cause: 'changed',
  hops: 0,
} as const;
const aboutTicket = { root: keyIn(aTicket()), cause: 'changed', hops: 0 } as const;
const legs = { in: 'partition', pk: 'TICKET#t', begins: 'LEG#' } as const;

describe('a turn counts', () => {
  test('what stands in the same place and is not its root’s', async () => {
    const worker = workerOver([aTicket(), aLeg({ Kind: 'Arm' }), aLeg({ Sort: 'LEG#2', Kind: 'Arm' })]);

    expect(await turn(worker.engine, { ...aboutTicket, rule: 'date-on-legs' })).toMatchObject({
      foreign: 2,
      orphans: 0,
      unchanged: 0,
    });
  });

  test('copies whose root is gone', async () => {
    const worker = workerOver([aLeg(), aLeg({ Sort: 'LEG#2' })]);

    expect(await turn(worker.engine, { ...aboutTicket, rule: 'date-on-legs', places: [legs] })).toMatchObject(
      { orphans: 2, foreign: 0 },
    );
  });

  test('conditions that were lost, the root’s too, and not what could not be written for now', async () => {
    const throttled = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
    throttled.port.answer = () => 'unavailable';
    expect(await turn(throttled.engine, aboutVoyage)).toMatchObject({ lost: 0, written: 0, deferred: 1 });

    const removing = workerOver([aSailor(), aCrewing('s')], {}, cruises(nameOnCrewThat('delete', 'keep')));
    removing.table.delete(keyIn(aSailor()));
    removing.port.before = ({ kind }) => {
      if (kind === 'remove') removing.table.put(aSailor());
    };
    await oneBatch(removing);
    expect(removing.telemetry.turns).toMatchObject([{ cause: 'deleted', lost: 1, removed: 0, unchanged: 1 }]);
  });

  test('what it parks', async () => {
    const worker = workerOver([aTicket(), aLeg({ PortId: undefined }), aLeg({ Sort: 'LEG#2' })]);

    expect(await turn(worker.engine, { ...aboutTicket, rule: 'date-on-legs' })).toMatchObject({
      parked: 1,
      unchanged: 1,
    });
  });
});

describe('what is parked says what a person needs', () => {
  test('of a copy: where it was found, and by which root and cause', async () => {
    const worker = workerOver([aTicket(), aLeg({ PortId: undefined })]);

    await turn(worker.engine, { ...aboutTicket, rule: 'date-on-legs', places: [legs] });

    expect(worker.queue.parked).toMatchObject([
      {
        code: 'copy.unprojectable',
        message: {
          ...aboutTicket,
          rule: 'date-on-legs',
          places: [legs],
          copies: [{ pk: 'TICKET#t', sk: 'LEG#1' }],
        },
      },
    ]);
  });

  test('of a write that DynamoDB refuses', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')]);
    worker.port.answer = () => 'refused';

    await turn(worker.engine, aboutVoyage);

    expect(worker.queue.parked).toMatchObject([
      { code: 'copy.refused', reason: 'DynamoDB refuses this write of this copy, whenever it is tried' },
    ]);
  });

  test('of a rule that is not there', async () => {
    const worker = workerOver([]);

    await turn(worker.engine, { ...aboutVoyage, rule: 'gone' });

    expect(worker.queue.parked).toMatchObject([
      { code: 'rule.unknown', reason: 'No enabled rule is called gone' },
    ]);
  });

  test('of a message that is none', async () => {
    const worker = workerOver([]);

    await fanOutBatch(worker.engine, [{ id: 'm', body: '{}' }]);

    expect(worker.queue.parked).toEqual([
      {
        code: 'message.unreadable',
        reason: 'Expected a message with a rule, a root and a cause',
        record: 'm',
      },
    ]);
  });

  test('of work that was given up: after how many deliveries', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('g')], { mostHops: 4, rounds: 1 });
    worker.port.answer = () => 'lost';

    await turn(worker.engine, { ...aboutVoyage, copies: [keyIn(aBooking('g'))], hops: 4 });

    expect(worker.queue.parked).toMatchObject([
      { code: 'hops.exceeded', reason: 'Gave up after 4 deliveries that did not advance' },
    ]);
  });

  test.each(['deleted', 'expired'] as const)(
    'of a removed root that never said where its copies stand: %s',
    async (cause) => {
      const worker = workerOver([]);

      await turn(worker.engine, { ...aboutVoyage, cause });

      expect(worker.queue.parked).toMatchObject([
        {
          code: 'root.unplaceable',
          reason:
            'Rule voyage-on-bookings cannot locate the copies of this removed root: its last image lacks what located.at reads',
          message: { cause },
        },
      ]);
    },
  );
});

describe('a turn for a root that is not there', () => {
  test('and that nobody removed asks for nothing else', async () => {
    const worker = workerOver([aCrewing('s')]);

    await turn(worker.engine, { rule: 'name-on-crew', root: keyIn(aSailor()), cause: 'repair', hops: 0 });

    expect(spent(worker)).toEqual({ get: 1 });
  });
});

describe('copies that a few rounds did not bring up to date', () => {
  const copies = ['a', 'b'].map((guest) => keyIn(aBooking(guest)));

  test('count as an advance where others of their page were', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('a'), aBooking('b')], { rounds: 1 });
    worker.port.answer = ({ sk }, outcome) => (sk === 'a' ? 'lost' : outcome);

    await turn(worker.engine, { ...aboutVoyage, copies, hops: 5 });

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 1, message: { copies: [copies[0]], hops: 1 } }]);
  });

  test('count as none where none of it was', async () => {
    const worker = workerOver([aVoyage({ State: 'CLOSED' }), aBooking('a'), aBooking('b')], { rounds: 1 });
    worker.port.answer = () => 'lost';

    await turn(worker.engine, { ...aboutVoyage, copies, hops: 5 });

    expect(worker.queue.sent).toMatchObject([{ delaySeconds: 32, message: { copies, hops: 6 } }]);
  });
});
