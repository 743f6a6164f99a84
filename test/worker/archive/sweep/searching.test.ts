import { describe, expect, test } from 'vitest';
import { sweep } from '../../../../src/worker/archive/sweep/sweep.ts';
import { Budget } from '../../../../src/worker/budget.ts';
import { aPastIncident, aUsedOrder } from '../../../fixtures/world/aging.ts';
import { WorldSweep } from '../../../fixtures/world/sweep.ts';

const byScan = { rules: ['archive-incidents'] };
const byIndex = { rules: ['archive-orders'] };

test('a sweep that searches by a scan reads again only items that may have aged', async () => {
  const world = new WorldSweep([aPastIncident('a', { State: 'OPEN' }), aUsedOrder()]);

  await world.run(byScan);

  expect(world.scan.pages).toBeGreaterThan(0);
  expect(world.port.counts.itemsRead).toBe(0);
});

describe('a sweep that searches by an index', () => {
  test('charges its budget with the read units in its report', async () => {
    const world = new WorldSweep(Array.from({ length: 250 }, (_, index) => aUsedOrder(`t${index}`)));
    const reads = new Budget(40, world.clock);
    const began = world.clock.now();

    const [report] = await sweep({ ...world.context(), reads }, { tableName: 'world', ...byIndex });

    expect(report).toMatchObject({ started: began, at: world.clock.now() });
    expect(report?.readUnits).toBeGreaterThan(125);
    expect(reads.taken).toBe(report?.readUnits);
  });

  test('starts with another rule in the next run, even within a page', async () => {
    const world = new WorldSweep([aUsedOrder(), aPastIncident()]);
    let reads = 0;
    world.port.before = () => {
      reads += 1;
    };
    world.stop = () => reads > 0;
    await world.clock.sleep(1_000);
    const [first] = await world.run();
    world.stop = () => false;
    await world.clock.sleep(1_000);

    const [second] = await world.run();

    expect([first?.rule, second?.rule]).toEqual(['archive-orders', 'archive-incidents']);
  });
});
