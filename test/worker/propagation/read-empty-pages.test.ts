import { describe, expect, test } from 'vitest';
import { sweep } from '../../../src/worker/archive/sweep/sweep.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { pagesOf } from '../../../src/worker/propagation/copy-pages.ts';
import { fanOutBatch } from '../../../src/worker/propagation/fan-out-batch.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { isFinished } from '../../../src/worker/scan/scan-table.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { table } from '../../fixtures/model/table.ts';
import { anOrderItemOf, aPastIncident, aUsedOrder } from '../../fixtures/world/aging.ts';
import { collected } from '../../fixtures/world/archive.ts';
import { aMembership, anIncident, aParticipation, aUser } from '../../fixtures/world/items.ts';
import { incidentOnParticipations, usernameOnMemberships } from '../../fixtures/world/rules.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { WorldSweep } from '../../fixtures/world/sweep.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';
import { sparseQueries, sparseScan } from '../../table-model/empty-pages.ts';

const users = ['a', 'b', 'c'];
const participations = users.map((user) => aParticipation(user, { State: 'stale' }));

describe('an empty page that is not the last does not end', () => {
  test('a verify', async () => {
    const search = new WorldSearch([anIncident(), ...participations]);

    const state = await search.run({ scan: sparseScan(search.scan) });

    expect(isFinished(state.point)).toBe(true);
    expect(state.items).toBe(4);
    expect(search.lines()).toHaveLength(3);
  });

  test('a verify of one root’s copies', async () => {
    const search = new WorldSearch([anIncident(), ...participations]);
    const rule = incidentOnParticipations;
    const propagation = { rule: rule.name, root: keyIn(anIncident()), cause: 'repair', attempts: 0 } as const;
    const locations = [{ in: 'partition', pk: 'acct_1#incident_a#participations' } as const];

    const seen = await collected(
      pagesOf(
        { registry: { table }, table: sparseQueries(search.port), settings: defaultSettings },
        bound(rule),
        {
          ...propagation,
          locations,
        },
      ),
    );

    expect(seen.flatMap(({ copies }) => copies)).toHaveLength(3);
  });

  test.each([
    ['a partition', incidentOnParticipations, [anIncident(), ...participations], 3],
    ['an index', usernameOnMemberships, [aUser(), aMembership('general', { Name: 'stale' })], 1],
  ] as const)('a backfill, nor its queries of %s', async (_, rule, items, written) => {
    const search = new WorldSearch(items);

    const { state, ...outcome } = await search.backfill(rule, {
      propagations: search.propagations({ table: sparseQueries(search.port) }),
      scan: sparseScan(search.scan),
    });

    expect(outcome).toMatchObject({ propagations: 1, written });
    expect(isFinished(state.point)).toBe(true);
  });

  test('a propagation, whether it continues immediately or through the queue', async () => {
    for (const pageLimit of [2, 500]) {
      const worker = workerOver([anIncident(), ...users.map((user) => aParticipation(user))], { pageLimit });
      const context = { ...worker.context, table: sparseQueries(worker.port) };
      worker.table.put(anIncident({ State: 'CLOSED' }));

      await propagateBatch(context, worker.stream.take());
      for (let messages = worker.queue.take(); messages.length > 0; messages = worker.queue.take())
        await fanOutBatch(context, messages);

      const states = worker.table
        .partition('acct_1#incident_a#participations')
        .map(({ item }) => item['State']);
      expect(states).toEqual(users.map(() => ({ S: 'CLOSED' })));
    }
  });

  test('a sweep, by scan or by index, or its queries for companions', async () => {
    const world = new WorldSweep([
      aUsedOrder(),
      anOrderItemOf('t', 1),
      anOrderItemOf('t', 2),
      aPastIncident(),
    ]);
    const { scan, port } = world;
    const sparse = { scan: sparseScan(scan), table: sparseQueries(port) };

    const reports = await sweep({ ...world.context(), ...sparse }, { tableName: 'world' });

    expect(reports).toMatchObject([
      { finished: true, kinds: { Order: { swept: 1 }, OrderItem: { swept: 2 } } },
      { finished: true, kinds: { Incident: { swept: 1 } } },
    ]);
  });
});
