import { describe, expect, test } from 'vitest';
import type { KeyedItem } from '../../../src/model/items/item.ts';
import type { Cursor } from '../../../src/model/work/message.ts';
import { sweep } from '../../../src/worker/archive/sweep/sweep.ts';
import type { Page, ScanPort, TablePort } from '../../../src/worker/ports.ts';
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

const passed = 'past the empty page';

/** An empty page that is not the last, then the page itself. */
async function emptyFirst<Paged extends Page<KeyedItem>>(
  from: Cursor | undefined,
  read: (from: Cursor | undefined) => Promise<Paged>,
) {
  if (from?.[passed] === undefined) return { units: 0.5, entries: [], next: { ...from, [passed]: 'yes' } };
  const { [passed]: _, ...cursor } = from;
  return read(Object.keys(cursor).length === 0 ? undefined : cursor);
}

/**
 * A scan that answers an empty page before each page: as DynamoDB may wherever it has looked far and found nothing.
 * Source: AWS, "Paginating table query results".
 */
function sparseScan(scan: ScanPort): ScanPort {
  return {
    scan: (segment, limit, from) => emptyFirst(from, (cursor) => scan.scan(segment, limit, cursor)),
  };
}

/** The same of a table's queries. Whatever else it is asked, it does. */
function sparseQueries(table: TablePort): TablePort {
  return {
    get: (key) => table.get(key),
    getMany: (keys) => table.getMany(keys),
    update: (updates) => table.update(updates),
    transact: (root, actions) => table.transact(root, actions),
    query: (location, limit, from, whole) =>
      emptyFirst(from, (cursor) => table.query(location, limit, cursor, whole)),
  };
}

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
