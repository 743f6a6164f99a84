import { describe, expect, test } from 'vitest';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import { type Item, keyText } from '../../../src/model/items/item.ts';
import type { RemovalPolicy } from '../../../src/model/rules/rule.ts';
import {
  type LeftAlone,
  nothing,
  type PropagationsOptions,
  protectTable,
} from '../../../src/operate/drift/repair.ts';
import { maxOutageMs } from '../../../src/worker/retry.ts';
import { isFinished, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import { driftIn, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import { anIncident, anOrder, anOrderItem, aParticipation, aUserOrder } from '../../fixtures/world/items.ts';
import { orderThatIsValid } from '../../fixtures/world/rules.ts';
import { added, WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const wrong = [
  anIncident(),
  aParticipation('ann', { Lead: 'Erik' }),
  aParticipation('bob', { State: undefined }),
  aParticipation('eve'),
  aParticipation('dan', { Notes: 'vegetarian', Lead: 'Erik' }),
  aParticipation('ann', { Part: 'acct_1#incident_gone#participations' }),
  anOrder({ StatePart: 'STATUS#OLD' }),
  aUserOrder({ Part: 'USER#7', Total: 1 }),
  anOrderItem({ ProductId: undefined, OwnerSort: 'ITEM#old' }),
];

describe('a repair', () => {
  test('leaves a copy alone if it would lose unmapped attributes', async () => {
    const search = new WorldSearch(wrong);

    const { outcome } = await repair(search);

    expect(codes(outcome.leftAlone)).toEqual(['unmapped acct_1#incident_a#participations dan']);
  });

  test('forgets the copies that it has left alone: there may be a million', async () => {
    const search = new WorldSearch(wrong);
    const propagations = search.propagations();

    const { leftAlone } = await propagations.repair(await drift(search));

    expect(codes(leftAlone)).toEqual(['unmapped acct_1#incident_a#participations dan']);
    const kept = Object.values(propagations).flatMap((one) => (one instanceof Map ? [...one] : []));
    expect(kept).toEqual([]);
  });

  test('removes unmapped attributes if that is allowed', async () => {
    const search = new WorldSearch(wrong);

    const { outcome } = await repair(search, { allowRemove: true });

    expect(outcome.leftAlone).toEqual([]);
    expect(search.table.read({ pk: 'acct_1#incident_a#participations', sk: 'dan' })).toEqual(
      aParticipation('dan'),
    );
  });

  test('does not remove an unmapped attribute that is set at the last moment', async () => {
    const search = new WorldSearch([anIncident(), aParticipation('ann', { Lead: 'Erik' })]);
    const found = await drift(search);
    search.table.put(aParticipation('ann', { Lead: 'Erik', Notes: 'vegetarian' }));

    const outcome = await search.propagations().repair(found);

    expect(codes(outcome.leftAlone)).toEqual(['unmapped acct_1#incident_a#participations ann']);
    expect(search.table.read({ pk: 'acct_1#incident_a#participations', sk: 'ann' })).toHaveProperty('Notes');
  });

  test('continues an interrupted repair', async () => {
    const search = new WorldSearch(wrong);
    const found = await drift(search);
    let asked = 0;
    const stop = () => {
      asked += 1;
      return asked > 2;
    };

    const first = await search.propagations({ stop, concurrency: 1 }).repair(found);
    const left = first.postponed;
    const second = await search.propagations().repair(left);

    expect(first.unfinished).not.toEqual([]);
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(found.length);
    expect(first.written + second.written).toBe(3);

    expect(search.table.read({ pk: 'acct_1#incident_a#participations', sk: 'bob' })).toEqual(
      aParticipation('bob'),
    );
    expect(search.table.read({ pk: 'ORDER#t', sk: 'ORDER' })).toEqual(anOrder());
  });

  test('counts every write and finding once, however often it is stopped', async () => {
    const search = new WorldSearch(
      Array.from({ length: 60 }, (_, n) => [
        anIncident({ Sort: `incident_${n}` }),
        aParticipation('ann', { Part: `acct_1#incident_${n}#participations`, Lead: 'Erik' }),
      ]).flat(),
    );
    let state = verifyFrom(wholeTable(2), search.registry);
    let written = 0;

    let runs = 0;
    for (; runs < 100 && !(isFinished(state.point) && state.suspectedDrifts.length === 0); runs += 1) {
      let asked = 0;
      const stop = () => {
        asked += 1;
        return asked > 40;
      };
      const mending = search.propagations({ stop, concurrency: 2 });
      state = await search.run(
        {
          stop,
          onDrift: async (found) => {
            const outcome = await mending.repair(found);
            written += outcome.written;
            return outcome.postponed;
          },
        },
        structuredClone(state),
      );
    }

    expect(runs).toBeGreaterThan(2);
    expect([written, driftIn(state)]).toEqual([60, 60]);
  });

  test('rides out an outage of some minutes', async () => {
    const search = new WorldSearch(wrong);
    const found = await drift(search);
    const back = search.clock.now() + 120_000;
    search.port.before = () => {
      if (search.clock.now() < back) throw new TransientError('aws.unreachable', 'nothing listens');
    };

    const outcome = await search.propagations().repair(found);

    expect(outcome).toMatchObject({ written: 3, unfinished: [], postponed: [] });
    expect(outcome.failure).toBeUndefined();
  });

  test('ends by an outage that lasts, with what it wrote and what is left', async () => {
    const search = new WorldSearch(wrong);
    const found = await drift(search);
    search.port.before = () => {
      if (search.port.counts.itemsWritten > 0) throw new TransientError('aws.unreachable', 'nothing listens');
    };
    const from = search.clock.now();

    const outcome = await search.propagations({ concurrency: 1 }).repair(found);

    expect(outcome).toMatchObject({ written: 1, leftAlone: [], failure: { code: 'unavailable.too-long' } });
    expect(outcome.postponed.length).toBeGreaterThan(0);
    // All that was left shares the wait.
    expect(search.clock.now() - from).toBeLessThan(2 * maxOutageMs + 60_000);
  });

  test('ends with what it wrote if access is denied on the way', async () => {
    const search = new WorldSearch(wrong);
    const found = await drift(search);
    search.port.before = () => {
      if (search.port.counts.itemsWritten > 0) throw new FatalError('aws.denied', 'denied');
    };

    const outcome = await search.propagations({ concurrency: 1 }).repair(found);

    expect(outcome).toMatchObject({ written: 1, failure: { code: 'aws.denied' } });
  });

  test('reports each copy that could not be written, with the reason', async () => {
    const search = new WorldSearch([anIncident(), aParticipation('ann', { Lead: 'Erik' })]);
    const found = await drift(search);
    search.table.put(anIncident({ State: undefined }));

    const outcome = await search.propagations().repair(found);

    expect(outcome.leftAlone).toMatchObject([{ rule: 'incident-on-participations', code: 'root.invalid' }]);
  });
});

describe('a copy whose root is excluded', () => {
  const annulled = anOrder({ Status: 'ANNULLED' });
  const of = (policy: RemovalPolicy) => new WorldSearch([annulled, aUserOrder()], orderThatIsValid(policy));

  test('is reported and left alone unless copies may be removed', async () => {
    const search = of('delete');

    const { outcome, found } = await repair(search);

    expect(found).toMatchObject([{ kind: 'excluded', rule: 'order-on-user-order' }]);
    expect(codes(outcome.leftAlone)).toEqual(['excluded USER#42 ORDER#2026-01-15']);
    expect(search.table.read(keyIn(aUserOrder()))).toEqual(aUserOrder());
  });

  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', aUserOrder({ Status: undefined, Total: undefined })],
  ])('is repaired by onDelete, %s, and right afterwards', async (policy, left) => {
    const search = of(policy);

    const { outcome } = await repair(search, { allowRemove: true });

    expect(outcome).toMatchObject({ removed: 1, leftAlone: [] });
    expect(search.table.read(keyIn(aUserOrder()))).toEqual(left);
    search.found.length = 0;
    expect(await drift(search)).toEqual([]);
  });
});

async function repair(search: WorldSearch, options: Partial<PropagationsOptions> = {}) {
  const mending = search.propagations(options);
  let outcome = nothing;
  search.found.length = 0;
  await search.run({
    onDrift: async (found) => {
      search.found.push(...found);
      const repaired = await mending.repair(found);
      outcome = added(outcome, repaired);
    },
  });
  return { outcome, found: search.found };
}

async function drift(search: WorldSearch) {
  await search.run();
  return search.found;
}

function codes(leftAlone: readonly LeftAlone[]): string[] {
  return leftAlone.map(({ code, copy }) => `${code} ${copy?.pk} ${copy?.sk}`).toSorted();
}

const named = aParticipation('ann');
const unmapped = aParticipation('bob', { Notes: 'vegetarian' });
const gone = aParticipation('carl');

test('a protected table refuses just what would remove unmapped attributes', async () => {
  const { table, port, denials } = keeping();

  const outcomes = await port.update([
    { key: keyIn(unmapped), set: {}, remove: ['Notes'], expect: {} },
    { key: keyIn(named), set: {}, remove: ['State'], expect: {} },
    { key: keyIn(gone), set: {}, remove: ['State'], expect: {} },
  ]);

  expect(outcomes).toEqual(['refused', 'written', 'lost']);
  expect([...denials]).toEqual([[keyText(keyIn(unmapped)), 'unmapped']]);
  expect(table.read(keyIn(unmapped))).toEqual(unmapped);
  expect(table.read(keyIn(named))).not.toHaveProperty('State');
});

test('a protected table removes copies, but not those whose root is excluded', async () => {
  const { table, port, denials } = keeping();
  const removal = { clear: undefined, expect: {}, size: 100 };

  const outcomes = await port.transact({ key: keyIn(anIncident()), expect: 'absent' }, [
    { key: keyIn(unmapped), ...removal, excluded: true },
    { key: keyIn(named), ...removal },
    { key: keyIn(gone), ...removal },
  ]);

  expect(outcomes).toEqual(['refused', 'written', 'lost']);
  expect([...denials]).toEqual([[keyText(keyIn(unmapped)), 'excluded']]);
  expect(table.items()).toEqual([unmapped]);
});

function keeping() {
  const { table, port, context } = workerOver([named, unmapped]);
  return { table, ...protectTable(port, context.registry) };
}
