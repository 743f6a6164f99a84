import { describe, expect, test } from 'vitest';
import { sweep } from '../../../../src/worker/archive/sweep/sweep.ts';
import { Budget } from '../../../../src/worker/budget.ts';
import { aPastVoyage, aUsedTicket } from '../../../fixtures/cruises/cruise-aging.ts';
import { CruiseSweep } from '../../../fixtures/cruises/cruise-sweep.ts';

const byScan = { rules: ['archive-voyages'] };
const byIndex = { rules: ['archive-tickets'] };

describe('a sweep that searches by a scan', () => {
  test('reads again only items that may have aged', async () => {
    const cruise = new CruiseSweep([aPastVoyage('a', { State: 'OPEN' }), aUsedTicket()]);

    await cruise.run(byScan);

    expect(cruise.scan.pages).toBeGreaterThan(0);
    expect(cruise.port.counts.itemsRead).toBe(0);
  });
});

describe('a sweep that searches by an index', () => {
  test('charges its budget with the read units in its report', async () => {
    const cruise = new CruiseSweep(Array.from({ length: 250 }, (_, index) => aUsedTicket(`t${index}`)));
    const reads = new Budget(40, cruise.clock);
    const began = cruise.clock.now();

    const [report] = await sweep({ ...cruise.context(), reads }, { tableName: 'cruises', ...byIndex });

    expect(report).toMatchObject({ started: began, at: cruise.clock.now() });
    expect(report?.readUnits).toBeGreaterThan(125);
    expect(reads.taken).toBe(report?.readUnits);
  });

  test('starts with another rule in the next run even if it did not reach the end of a page', async () => {
    const cruise = new CruiseSweep([aUsedTicket(), aPastVoyage()]);
    let reads = 0;
    cruise.port.before = () => {
      reads += 1;
    };
    cruise.stop = () => reads > 0;
    await cruise.clock.sleep(1_000);
    const [first] = await cruise.run();
    cruise.stop = () => false;
    await cruise.clock.sleep(1_000);

    const [second] = await cruise.run();

    expect([first?.rule, second?.rule]).toEqual(['archive-tickets', 'archive-voyages']);
  });
});
