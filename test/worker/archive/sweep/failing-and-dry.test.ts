import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../../src/model/basics/errors.ts';
import type { Registry } from '../../../../src/model/rules/registry.ts';
import type { GuardedUpdate } from '../../../../src/model/work/guarded-write.ts';
import {
  anIncidentData,
  anOrderItemOf,
  aPastIncident,
  aUsedOrder,
  incidentsAge,
  ordersAge,
} from '../../../fixtures/world/aging.ts';
import { worldRules } from '../../../fixtures/world/rules.ts';
import { counts, expiryOf, inAWeek, WorldSweep } from '../../../fixtures/world/sweep.ts';
import { watchArchive } from '../../../fixtures/world/watched-archive.ts';
import { registryOf } from '../../../fixtures/world/world.ts';

describe('a dry run', () => {
  test('counts the items to sweep by kind, and writes nothing, not even its position', async () => {
    const items = [
      aUsedOrder(),
      anOrderItemOf(),
      anOrderItemOf('t', 2, { EndsAt: 5 }),
      aPastIncident(),
      anIncidentData(),
    ];
    const others = [{ Status: 'PAID' }, { CreatedAt: '1999-99' }, { EndsAt: 'never' }];
    const world = new WorldSweep([...items, ...others.map((one, index) => aUsedOrder(`${index}`, one))]);

    const reports = await world.run({ dryRun: true });

    expect(reports.map(({ kinds }) => kinds)).toEqual([
      { Order: counts({ swept: 1, unclassified: 2 }), OrderItem: counts({ swept: 1, expiring: 1 }) },
      { Incident: counts({ swept: 1 }), IncidentData: counts({ swept: 1 }) },
    ]);
    expect(world.table.items()).toEqual(expect.arrayContaining(items));
    expect(world.archive.keys()).toEqual([]);
    expect(world.notes.texts.size).toBe(0);
    expect(world.told).toEqual([]);
    expect(world.port.counts.getMany).toBe(2);
  });

  test('searches everything from the beginning, whatever the position of the last run', async () => {
    const world = new WorldSweep(Array.from({ length: 160 }, (_, index) => aUsedOrder(`t${index}`)));
    await world.stoppedAfter(1, { rules: ['archive-orders'] });

    const dry = await world.sweepOrders({ dryRun: true });

    expect(dry).toMatchObject({ looked: 160, kinds: { Order: counts({ expiring: 100, swept: 60 }) } });
    expect(await world.sweepOrders()).toMatchObject({ looked: 60 });
  });
});

describe('a sweep that fails', () => {
  test.each<[string, (world: WorldSweep, fail: () => void) => void]>([
    ['a request', (world, fail) => (world.port.before = ({ kind }) => kind !== 'queryIndex' && fail())],
    ['a read of its position', (world, fail) => (world.notes.before = fail)],
  ])('temporarily at %s tries again', async (_, failAt) => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    let failures = 3;
    failAt(world, () => {
      failures -= 1;
      if (failures >= 0) throw new TransientError('aws.throttled', 'was throttled');
    });

    expect(await world.sweepOrders()).toMatchObject({
      finished: true,
      kinds: { Order: counts({ swept: 1 }), OrderItem: counts({ swept: 1 }) },
    });
    expect(failures).toBeLessThan(0);
  });

  test.each([
    ['the root', 'ORDER'],
    ['a companion', 'ITEM#1'],
  ])('to write %s again and again fails, and continues with that page later', async (_, sk) => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    const available = unavailable(world, (updates) => updates.some(({ key }) => key.sk === sk));

    await expect(world.sweepOrders()).rejects.toMatchObject({
      code: 'sweep.unavailable',
      key: { pk: 'ORDER#t', sk },
    });

    available();
    expect(await world.sweepOrders()).toMatchObject({ looked: 1 });
    expect(expiryOf(world, anOrderItemOf())).toBeDefined();
  });

  test.each<[string, () => string, string]>([
    ['throws', () => secret(), 'rule.threw'],
    ['returns a Date', () => new Date(0) as never, 'rule.returned'],
  ])('because found.until %s stops that rule by name, and no other', async (_, until, code) => {
    const world = new WorldSweep([aUsedOrder(), aPastIncident()], broken(until));

    await expect(world.run()).rejects.toMatchObject({
      name: 'RuleError',
      code,
      rule: 'archive-orders',
      message: expect.stringMatching(/^(?!.*secret).*found\.until of rule archive-orders/),
    });

    expect(expiryOf(world, aUsedOrder())).toBeUndefined();
    expect(expiryOf(world, aPastIncident())).toBeDefined();
  });

  test('does not wait after a stop', async () => {
    const world = new WorldSweep([aUsedOrder()]);
    const began = world.clock.now();
    let failed = false;
    world.stop = () => failed;
    world.notes.before = (request) => {
      failed = request === 'write';
      if (failed) throw new TransientError('aws.fault', 'failed');
    };

    const report = await world.sweepOrders();

    expect(world.clock.now()).toBe(began);
    expect(report.finished).toBe(false);
    expect(world.failures).toEqual([]);
  });

  test('permanently under one rule continues with the others, and reports it at the end', async () => {
    const world = new WorldSweep([aUsedOrder(), aPastIncident()]);
    world.port.before = ({ kind }) => {
      if (kind === 'queryIndex') throw new FatalError('aws.denied', 'was denied');
    };

    await expect(world.run()).rejects.toMatchObject({ code: 'aws.denied' });

    expect(expiryOf(world, aPastIncident())).toEqual(inAWeek);
    expect(expiryOf(world, aUsedOrder())).toBeUndefined();
    expect(world.told).toMatchObject([{ finished: false }, { finished: true }]);
  });

  test('sets no TTL on an item that could not be archived', async () => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    watchArchive(world, (request) => {
      if (request === 'put') throw new TransientError('aws.fault', 'failed');
    });

    await expect(world.run()).rejects.toMatchObject({ code: 'aws.fault' });

    expect(world.table.items()).toEqual([aUsedOrder(), anOrderItemOf()]);
    expect(world.failures).toHaveLength(1);
  });

  test.each<[string, (world: WorldSweep, isLost: () => boolean) => unknown]>([
    ['done', ({ port }, isLost) => (port.answer = (_, outcome) => (isLost() ? 'unavailable' : outcome))],
    ['not done', unavailable],
  ])('to get an answer finds out whether a write was %s', async (_, lose) => {
    const world = new WorldSweep([aUsedOrder(), anOrderItemOf()]);
    let left = 2;
    lose(world, () => left-- > 0);

    const report = await world.sweepOrders();

    expect(report.kinds).toEqual({ Order: counts({ swept: 1 }), OrderItem: counts({ swept: 1 }) });
    expect(expiryOf(world, anOrderItemOf())).toEqual(inAWeek);
    expect(left).toBeLessThanOrEqual(0);
  });
});

test('the budget of a sweep is charged for the size of the entries of an index', async () => {
  const inUse = { Status: 'PAID', StatePart: 'STATUS#USED', Note: 'x'.repeat(3500) };
  const world = new WorldSweep(Array.from({ length: 400 }, (_, index) => aUsedOrder(`t${index}`, inUse)));
  const began = world.clock.now();

  const report = await world.sweepOrders({}, 50);

  const seconds = (world.clock.now() - began) / 1000;
  expect(report.readUnits).toBeGreaterThan(550);
  expect(report.readUnits).toBeLessThan(seconds * 50 * 1.05 + 50);
});

/** Makes nothing of these updates, and answers them with `unavailable`. @returns ends that */
function unavailable(
  { port }: WorldSweep,
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

/** The aging rules, in which the orders' index is asked with another `until`. */
function broken(until: () => string): Registry {
  const { ages } = ordersAge;
  if (ages?.found.in !== 'index') throw new Error('Expected orders to be found by an index');
  const found = { ...ages.found, until };
  return registryOf(...worldRules, { ...ordersAge, ages: { ...ages, found } }, incidentsAge);
}
