import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../../src/model/items/copy-location.ts';
import { type Item, text } from '../../../src/model/items/item.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { table } from '../../fixtures/model/table.ts';
import { aMembership, aUser } from '../../fixtures/world/items.ts';
import {
  usernameOnMembershipsThat,
  usernameOnRankThat,
  world,
  worldRules,
} from '../../fixtures/world/rules.ts';
import { requestsOf } from '../../fixtures/world/table-faults.ts';
import { about, keyIn, spent } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const renamed = aUser({ Name: 'Johannes' });
const x = aMembership('x');
const first = about('username-on-memberships', renamed);
const recheck = { ...first, recheck: true };

/** The memberships of this user, up to date. */
function memberships(count: number) {
  return Array.from({ length: count }, (_, server) =>
    aMembership(String(server).padStart(4, '0'), { Name: 'Johannes' }),
  );
}

function nameOn(worker: ModelWorker, copy: Item): string | undefined {
  return text(worker.table.read(keyIn(copy))?.['Name']);
}

describe('the recheck of an index that projects ALL', () => {
  test('of 1,000 right copies is three queries and reads of the root: no copy is read', async () => {
    const worker = workerOver([renamed, ...memberships(1_000)]);

    await propagate(worker.context, recheck);
    await worker.rest();

    expect(spent(worker)).toEqual({ queryIndexEntries: 3, get: 3, itemsRead: 1_003 });
    const reports = worker.telemetry.propagations.map((report) => [report.recheck, report.unchanged]);
    expect(reports.map(String)).toEqual(['true,500', 'true,500', 'true,0']);
  });

  test('reads the root after the entries, and again after the copies', async () => {
    const worker = workerOver([renamed, x]);
    const requests = requestsOf(worker);
    const locations = [{ in: 'index', index: 'ByOwner', pk: 'USER#1', begins: 'SERVER#' } as const];

    await propagate(worker.context, { ...recheck, locations });

    const kinds = ['queryIndexEntries', 'get', 'getMany', 'get', 'update'];
    expect(requests.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('the recheck of an index that projects ALL reads a copy, whatever its entry says', () => {
  const clearing = usernameOnMembershipsThat('clear', 'clear');
  const moving = usernameOnRankThat('clear', 'clear');
  const ofRank = { in: 'index', index: 'ByOwner', pk: 'RANK#member' } as const;
  const ofUser = { in: 'index', index: 'ByOwner', pk: 'USER#1', begins: 'SERVER#' } as const;
  const hired = { OwnerPart: 'RANK#member' };

  test.each<[string, Rule, Item | undefined, CopyLocation, object]>([
    ['was removed', clearing, undefined, ofUser, {}],
    ['became another kind', clearing, aUser({ Kind: 'Cook' }), ofUser, {}],
    ['is elsewhere', moving, aUser({ Rank: 'lead' }), ofRank, hired],
  ])('if its root %s', async (_, rule, root, location, placed) => {
    const copy = aMembership('x', { Name: undefined, ...placed });
    const worker = workerOver([...(root ? [root] : []), copy], {}, world(rule));
    worker.table.indexes.lag = 1_000;
    worker.table.update(keyIn(copy), { set: { Name: { S: 'late' } } });

    await propagate(worker.context, { ...recheck, cause: 'deleted', locations: [location] });

    expect(nameOn(worker, copy)).toBeUndefined();
  });
});

const { name, pk, sk } = table.indexes.ByOwner;
const partial = makeRegistry(
  { ...table, indexes: { ...table.indexes, ByOwner: { name, pk, sk } } },
  worldRules,
  [],
);

test.each([
  ['the first query of a fan-out', first, world()],
  ['the recheck of an index that may hold less', recheck, partial],
])('%s reads every copy from the table, whatever its entry says', async (_, message, registry) => {
  const worker = workerOver([renamed, ...memberships(3)], {}, registry);

  await propagate(worker.context, message);

  expect(spent(worker)).toMatchObject({ queryIndex: 1, getMany: 1 });
});
