import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import { makeRegistry, type Registry } from '../../../../src/model/rules/registry.ts';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import {
  aLegOf,
  aLogbook,
  aPastVoyage,
  aUsedTicket,
  ticketsAge,
  voyagesAge,
} from '../../../fixtures/cruises/cruise-aging.ts';
import { cruiseRules } from '../../../fixtures/cruises/cruise-rules.ts';
import { CruiseSweep, counts, expiryOf, inAWeek } from '../../../fixtures/cruises/cruise-sweep.ts';
import { watchArchive } from '../../../fixtures/cruises/watched-archive.ts';
import { table } from '../../../fixtures/model/table.ts';

describe('a dry run', () => {
  test('counts the items to sweep by kind, and writes nothing, not even its position', async () => {
    const items = [aUsedTicket(), aLegOf(), aLegOf('t', 2, { EndsAt: 5 }), aPastVoyage(), aLogbook()];
    const others = [{ Status: 'PAID' }, { SoldAt: '1999-99' }, { EndsAt: 'never' }];
    const cruise = new CruiseSweep([...items, ...others.map((one, index) => aUsedTicket(`${index}`, one))]);

    const reports = await cruise.run({ dryRun: true });

    expect(reports.map(({ kinds }) => kinds)).toEqual([
      { Ticket: counts({ swept: 1, unclassified: 2 }), Leg: counts({ swept: 1, expiring: 1 }) },
      { Voyage: counts({ swept: 1 }), Logbook: counts({ swept: 1 }) },
    ]);
    expect(cruise.table.items()).toEqual(expect.arrayContaining(items));
    expect(cruise.archive.keys()).toEqual([]);
    expect(cruise.notes.texts.size).toBe(0);
    expect(cruise.told).toEqual([]);
    expect(cruise.port.counts.getMany).toBe(2);
  });

  test('searches everything from the beginning, whatever the position of the last run', async () => {
    const cruise = new CruiseSweep(Array.from({ length: 160 }, (_, index) => aUsedTicket(`t${index}`)));
    await cruise.stoppedAfter(1, { rules: ['archive-tickets'] });

    const dry = await cruise.sweepTickets({ dryRun: true });

    expect(dry).toMatchObject({ looked: 160, kinds: { Ticket: counts({ expiring: 100, swept: 60 }) } });
    expect(await cruise.sweepTickets()).toMatchObject({ looked: 60 });
  });
});

describe('a sweep that fails', () => {
  test.each<[string, (cruise: CruiseSweep, fail: () => void) => void]>([
    ['a request', (cruise, fail) => (cruise.port.before = ({ kind }) => kind !== 'queryIndex' && fail())],
    ['a read of its position', (cruise, fail) => (cruise.notes.before = fail)],
  ])('temporarily at %s tries again', async (_, failAt) => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    let failures = 3;
    failAt(cruise, () => {
      failures -= 1;
      if (failures >= 0) throw new TransientError('aws.throttled', 'was throttled');
    });

    expect(await cruise.sweepTickets()).toMatchObject({
      finished: true,
      kinds: { Ticket: counts({ swept: 1 }), Leg: counts({ swept: 1 }) },
    });
    expect(failures).toBeLessThan(0);
  });

  test.each([
    ['the root', 'TICKET'],
    ['a companion', 'LEG#1'],
  ])('to write %s again and again fails, and continues with that page later', async (_, sk) => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    const available = unavailable(cruise, (updates) => updates.some(({ key }) => key.sk === sk));

    await expect(cruise.sweepTickets()).rejects.toMatchObject({
      code: 'sweep.unavailable',
      key: { pk: 'TICKET#t', sk },
    });

    available();
    expect(await cruise.sweepTickets()).toMatchObject({ looked: 1 });
    expect(expiryOf(cruise, aLegOf())).toBeDefined();
  });

  test.each<[string, () => string, string]>([
    ['throws', () => secret(), 'rule.threw'],
    ['returns a Date', () => new Date(0) as never, 'rule.returned'],
  ])('because found.until %s stops that rule by name, and no other', async (_, until, code) => {
    const cruise = new CruiseSweep([aUsedTicket(), aPastVoyage()], broken(until));

    await expect(cruise.run()).rejects.toMatchObject({
      name: 'RuleError',
      code,
      rule: 'archive-tickets',
      message: expect.stringMatching(/^(?!.*secret).*found\.until of rule archive-tickets/),
    });

    expect(expiryOf(cruise, aUsedTicket())).toBeUndefined();
    expect(expiryOf(cruise, aPastVoyage())).toBeDefined();
  });

  test('does not wait after a stop', async () => {
    const cruise = new CruiseSweep([aUsedTicket()]);
    const began = cruise.clock.now();
    let failed = false;
    cruise.stop = () => failed;
    cruise.notes.before = (request) => {
      failed = request === 'write';
      if (failed) throw new TransientError('aws.fault', 'failed');
    };

    const report = await cruise.sweepTickets();

    expect(cruise.clock.now()).toBe(began);
    expect(report.finished).toBe(false);
    expect(cruise.failures).toEqual([]);
  });

  test('permanently under one rule continues with the others, and reports it at the end', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aPastVoyage()]);
    cruise.port.before = ({ kind }) => {
      if (kind === 'queryIndex') throw new FatalError('aws.denied', 'was denied');
    };

    await expect(cruise.run()).rejects.toMatchObject({ code: 'aws.denied' });

    expect(expiryOf(cruise, aPastVoyage())).toEqual(inAWeek);
    expect(expiryOf(cruise, aUsedTicket())).toBeUndefined();
    expect(cruise.told).toMatchObject([{ finished: false }, { finished: true }]);
  });

  test('sets no TTL on an item that could not be archived', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    watchArchive(cruise, (request) => {
      if (request === 'put') throw new TransientError('aws.fault', 'failed');
    });

    await expect(cruise.run()).rejects.toMatchObject({ code: 'aws.fault' });

    expect(cruise.table.items()).toEqual([aUsedTicket(), aLegOf()]);
    expect(cruise.failures).toHaveLength(1);
  });

  test.each<[string, (cruise: CruiseSweep, isLost: () => boolean) => unknown]>([
    ['done', ({ port }, isLost) => (port.answer = (_, outcome) => (isLost() ? 'unavailable' : outcome))],
    ['not done', unavailable],
  ])('to get an answer finds out whether a write was %s', async (_, lose) => {
    const cruise = new CruiseSweep([aUsedTicket(), aLegOf()]);
    let left = 2;
    lose(cruise, () => left-- > 0);

    const report = await cruise.sweepTickets();

    expect(report.kinds).toEqual({ Ticket: counts({ swept: 1 }), Leg: counts({ swept: 1 }) });
    expect(expiryOf(cruise, aLegOf())).toEqual(inAWeek);
    expect(left).toBeLessThanOrEqual(0);
  });
});

describe('the budget of a sweep', () => {
  test('is charged for the size of the entries of an index, although only their keys are returned', async () => {
    const inUse = { Status: 'PAID', StatePart: 'STATUS#USED', Note: 'x'.repeat(3500) };
    const cruise = new CruiseSweep(
      Array.from({ length: 400 }, (_, index) => aUsedTicket(`t${index}`, inUse)),
    );
    const began = cruise.clock.now();

    const report = await cruise.sweepTickets({}, 50);

    const seconds = (cruise.clock.now() - began) / 1000;
    expect(report.readUnits).toBeGreaterThan(550);
    expect(report.readUnits).toBeLessThan(seconds * 50 * 1.05 + 50);
  });
});

/** Makes nothing of these updates, and answers them with `unavailable`. @returns ends that */
function unavailable(
  { port }: CruiseSweep,
  isLost: (updates: readonly GuardedUpdate[]) => boolean,
): () => void {
  const { update } = port;
  Object.assign(port, {
    update: async (...args: Parameters<typeof update>) =>
      isLost(args[0]) ? args[0].map(() => 'unavailable') : update.apply(port, args),
  });
  return () => Object.assign(port, { update });
}

function secret(): never {
  throw new TypeError('a secret');
}

/** The aging rules, in which the tickets' index is asked with another `until`. */
function broken(until: () => string): Registry {
  const { ages } = ticketsAge;
  if (ages?.found.in !== 'index') throw new Error('Expected tickets to be found by an index');
  const found = { ...ages.found, until };
  return makeRegistry(table, cruiseRules, [{ ...ticketsAge, ages: { ...ages, found } }, voyagesAge]);
}
