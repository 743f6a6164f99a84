import { expect, test } from 'vitest';
import * as z from 'zod';
import application from '../../../denorm.config.ts';
import { readItem } from '../../../src/model/items/dynamodb-json.ts';
import { type Item, keyIn } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineAggregate } from '../../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { count } from '../../../src/model/rules/reducers.ts';
import { makeRegistry, type Registry } from '../../../src/model/rules/registry.ts';
import { exampleView, writeExample } from '../../../src/page/views/example.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../src/testing/table-model/model-table-port.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import { titleOnTags } from '../../fixtures/world/posts.ts';
import { contenderTotals } from '../../fixtures/world/totals.ts';
import { registryOf } from '../../fixtures/world/world.ts';
import { likes } from '../../simulation/likes-rules.ts';

/** What is in the table after the example was written, and what is said of it. */
async function written(registry: Registry, before: readonly Item[] = []) {
  const model = new ModelTable(registry.table);
  for (const item of before) model.put(item);
  const port = new ModelTablePort(model);
  const put = (item: Item, isFree: boolean) => {
    if (isFree) model.put(item);
    return Promise.resolve({ outcome: isFree ? 'put' : 'exists', units: 1 } as const);
  };
  const access: Parameters<typeof writeExample>[1] = {
    putIfAbsent: (item) => put(item, model.read(keyIn(registry.table, item)) === undefined),
    get: (key) => port.get(key),
    update: (updates) => port.update(updates),
  };
  const outcome = await writeExample(registry, access, () => true);
  return { items: model.items(), ...outcome };
}

const titles = (items: readonly Item[]) => items.map(({ Title }) => Title && 'S' in Title && Title.S);

test('an example is a root, a copy, and a change that its rule propagates', async () => {
  const registry = application.registry();
  const { rule, before, copies, after, attribute } = await exampleView(registry);

  expect([rule, attribute]).toEqual(['incident-on-participations', 'Title']);
  expect([before?.kind, ...(copies ?? []).map(({ kind }) => kind)]).toEqual(['Incident', 'Participation']);
  expect([before, ...(copies ?? []), after].map((one) => one?.item['Title'])).toEqual([
    ...[{ S: 'one' }, { S: 'one' }, { S: 'two' }],
  ]);
  expect(titles((await written(registry)).items)).toEqual(['two', 'one']);
});

test('copies that a rule creates are left to it, and a member is shown with its target', async () => {
  expect(await exampleView(registryOf(titleOnTags))).toMatchObject({ rule: 'title-on-tags', copies: [] });
  expect(await exampleView(registryOf(contenderTotals))).toMatchObject({
    rule: 'contender-totals',
    copies: [{ kind: 'Contender' }],
  });
});

test('the example has the index keys and totals that the worker gives it, so that only its change is propagated', async () => {
  const venue = defineKind({
    ...{ name: 'Venue', type: 'Venue', pk: 'VENUE#{venue}', sk: 'VENUE' },
    attributes: z.object({ Name: z.string(), Events: z.number() }),
    keys: { ByOwner: { pk: 'VENUES', sk: 'VENUE#{venue}' } },
  });
  const event = defineKind({
    ...{ name: 'Event', type: 'Event', pk: 'VENUE#{venue}', sk: 'EVENT#{event}' },
    attributes: z.object({ VenueName: z.string(), Sold: z.number() }),
    keys: { ByOwner: { pk: 'EVENT#{event}', sk: 'EVENT' } },
  });
  const ticket = defineKind({
    ...{ name: 'Ticket', type: 'Ticket', pk: 'VENUE#{venue}', sk: 'TICKET#{event}#{ticket}' },
    attributes: z.object({}),
  });
  const venueOnEvents = defineRule({
    ...{ name: 'venue-on-events', root: venue, copy: event, copies: { Name: 'VenueName' } },
    located: { in: 'partition', at: ({ ids }) => ({ pk: venue.pk(ids), begins: 'EVENT#' }) },
    rootOf: ({ ids }) => venue.key(ids),
    ...{ onDelete: 'keep', onExpire: 'keep' },
  });
  const sold = defineAggregate({
    ...{ name: 'sold', of: ticket, on: event, computes: { Sold: count() } },
    members: { in: 'partition', at: ({ ids }) => ({ pk: ticket.pk(ids), begins: `TICKET#${ids.event}#` }) },
    targetsOf: ({ ids }) => [event.key(ids)],
  });
  const registry = defineConfig({ table, rules: [venueOnEvents], aggregates: [sold] }).registry();
  const { before, copies = [], copyAttribute } = await exampleView(registry);

  expect(copyAttribute).toBe('VenueName');
  const worker = new ModelWorker(registry);
  for (const one of [before, ...copies]) worker.table.put(readItem(one?.item ?? {}) ?? {});
  await worker.rest();
  expect(worker.table.history.filter(({ by }) => by === 'worker')).toEqual([]);
});

test('the example of a ledger has none of the items that are the worker’s own', async () => {
  const { before, copies = [], after } = await exampleView(likes(1));

  expect([before, ...copies, after].map((one) => one?.kind)).toEqual(['Like', 'Post', 'Like']);
});

test('root and copy have two keys, also where an id alone is the key', async () => {
  const ByTeam = { name: 'ByTeam', pk: 'TeamId' } as const;
  const names = { ...{ pk: 'Part', indexes: { ByTeam }, ttl: 'EndsAt', type: 'Kind' } } as const;
  const team = defineKind({
    ...{ name: 'Team', type: 'Team', pk: '{team}' },
    attributes: z.object({ Name: z.string() }),
  });
  const member = defineKind({
    ...{ name: 'Member', type: 'Member', pk: '{member}' },
    attributes: z.object({ Name: z.string(), TeamId: z.string() }),
  });
  const rule = defineRule({
    ...{ name: 'team-on-members', root: team, copy: member, copies: ['Name'] },
    ...{ reads: { copy: ['TeamId'] }, onDelete: 'keep', onExpire: 'keep' },
    located: { in: 'index', index: ByTeam, at: ({ ids }) => ({ pk: ids.team }) },
    rootOf: ({ TeamId }) => team.key({ team: TeamId }),
  });
  const { before, copies = [] } = await exampleView(makeRegistry(names, [rule]));

  expect([before?.key.pk, copies[0]?.key.pk]).toEqual(['100000', '600000']);
});

test('without an example, it says what would help', async () => {
  const { aggregates } = registryOf(contenderTotals);
  // As a config in JavaScript may have it.
  const broken = aggregates.map((one) => ({ ...one, targetsOf: () => JSON.parse('1') }));
  const { why, after } = await exampleView(registryOf(...broken));

  expect([after, why]).toEqual([undefined, expect.stringContaining('examples')]);
});

test('items of the application stay as they are', async () => {
  const registry = application.registry();
  const own = (await written(registry)).items.map((item) => ({ ...item, Title: { S: 'mine' } }));

  expect(await written(registry, own)).toEqual({
    ...{ items: own, isGood: false },
    text: 'These items exist already, so nothing was written: edit one under Items.',
  });
});

test('written again, the example changes its root back, and goes on where it was stopped', async () => {
  const registry = application.registry();
  const { items } = await written(registry);
  const back = await written(registry, items);
  expect([titles(back.items), back.isGood]).toEqual([['one', 'one'], true]);
  expect(titles((await written(registry, back.items)).items)).toEqual(['two', 'one']);
});
