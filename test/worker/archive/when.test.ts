import { describe, expect, test } from 'vitest';
import type { Change } from '../../../src/model/items/change.ts';
import type { Item } from '../../../src/model/items/item.ts';
import { type ArchiveRuleSpec, defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { predicate } from '../../../src/model/rules/predicate.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { claimsOfEnds, claimsOfItems } from '../../../src/operate/archive/audit/claim.ts';
import { archivingOf, readByWhen } from '../../../src/worker/archive/decision.ts';
import { aUsedTicket, ticketsAge } from '../../fixtures/cruises/cruise-aging.ts';
import { CruiseArchive, layouts, listedStates } from '../../fixtures/cruises/cruise-archive.ts';
import { audit, wrongs } from '../../fixtures/cruises/cruise-audit.ts';
import { aLeg, aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { leg, ticket } from '../../fixtures/cruises/cruise-kinds.ts';
import { CruiseSweep, expiryOf, recordedUpdates } from '../../fixtures/cruises/cruise-sweep.ts';
import { keyed, keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';

const soon = { EndsAt: 1_000 };
const paid = aTicket(soon);
const held = aTicket({ ...soon, Status: 'HELD' });
const key = keyIn(paid);

/** Reserved tickets are not archived. */
const when = [predicate(ticket, { reads: ['Status'], item: ({ Status }) => Status !== 'HELD' })];

function archiveOf(spec: Partial<ArchiveRuleSpec> = {}): CruiseArchive {
  return new CruiseArchive({ when, ...spec });
}

async function states(cruise: CruiseArchive): Promise<number> {
  return (await listedStates(cruise.reader(), table, {})).length;
}

test.each<[string, Partial<ArchiveRuleSpec>, Partial<Change>, object | string]>([
  ['of nothing', {}, {}, 'unconcerned'],
  ['of another kind', {}, { after: item({ Part: 'OTHER#1', Sort: 'OTHER', EndsAt: 1_000 }) }, 'unconcerned'],
  ['of one that stays', {}, { before: paid, after: aTicket() }, 'lasting'],
  ['of one whose expiry is text', {}, { after: { ...paid, EndsAt: { S: '1000' } } }, 'lasting'],
  ['of one whose expiry is null', {}, { after: { ...paid, EndsAt: { NULL: true } } }, 'lasting'],
  ['of one that will expire', {}, { after: paid }, { because: 'expiring' }],
  ['of one that expired', {}, { before: paid, expired: true }, { because: 'expired' }],
  ['of one for which when is false', { when }, { after: held }, { because: 'excluded' }],
  ['of one that was deleted', {}, { before: paid }, 'kept'],
  ['of one to archive when it is deleted', { onDelete: 'archive' }, { before: paid }, { because: 'deleted' }],
  ['of one to erase, excluded', { onDelete: 'erase', when }, { before: held }, { because: 'erased' }],
])('what a change asks of the archive: %s', (_, spec, images, expected) => {
  const rule = defineArchive({ name: 'archive-tickets', kinds: [ticket, leg], ...spec });
  const asked = archivingOf(makeRegistry(table, [], [rule]), change(images));

  if (typeof expected === 'string') expect(asked).toBe(expected);
  else expect(asked).toMatchObject(expected);
});

describe.each(layouts)('in the layout %s, an item for which when is false', (layout) => {
  test('is archived in its other states only, before it expires and at its end', async () => {
    const cruise = archiveOf({ layout, onDelete: 'archive' });
    await cruise.expired(held);
    await cruise.archived(held);
    expect(await states(cruise)).toBe(0);
    await cruise.archived(paid);
    expect(await states(cruise)).toBe(1);
    await cruise.archived(held);
    cruise.table.delete(key);
    await cruise.archive();
    expect(await states(cruise)).toBe(1);

    cruise.table.put(aTicket({ Price: 2 }));
    cruise.table.delete(key);
    await cruise.archive();
    expect(await states(cruise)).toBe(2);
    expect(cruise.worker.queue.deadLettered).toEqual([]);
  });

  test('is archived if when fails on it, and it is dead-lettered by rule and key, without content', async () => {
    const cruise = archiveOf({ layout, when: [failing] });
    cruise.table.put(paid);

    expect(await cruise.archive()).toEqual(new Map());
    expect(await states(cruise)).toBe(1);
    expect(cruise.worker.queue.deadLettered).toMatchObject([
      {
        code: 'rule.threw',
        about: { rule: 'archive-tickets', key: { pk: 'TICKET#t', sk: 'TICKET' } },
        reason: expect.stringMatching(/^Function when of rule archive-tickets/),
      },
    ]);
    expect(JSON.stringify(cruise.worker.queue.deadLettered)).not.toContain('secret');
  });
});

const failing = predicate(ticket, {
  reads: [],
  item: () => {
    throw new Error('secret');
  },
});

describe('when', () => {
  test('says for each kind what it reads, because a sweep writes only while that is as archived', () => {
    const priced = predicate(ticket, { reads: ['Price'], item: () => true });
    const { archives } = archiveOf({ when: [...when, priced] }).worker.context.registry;

    const read = archives.map((rule) => rule.kinds.map((kind) => [kind.name, readByWhen(rule, kind)]));

    expect(read.flat()).toEqual([
      ['Ticket', ['Status', 'Price']],
      ['Leg', []],
      ['Voyage', []],
    ]);
  });

  test('that reads an attribute which the item does not have fails, and the item is archived', async () => {
    const priced = predicate(ticket, { reads: ['Price'], item: ({ Price }) => Price > 0 });
    const cruise = archiveOf({ when: [priced] });

    await cruise.archived(aTicket({ ...soon, Price: undefined }));

    expect(cruise.worker.queue.deadLettered).toMatchObject([{ code: 'root.invalid' }]);
    expect(await states(cruise)).toBe(1);
  });

  test('concerns only items of its kind, and all predicates of a kind must be true', async () => {
    const expensive = predicate(ticket, { reads: ['Price'], item: ({ Price }) => Price > 100 });
    const cruise = archiveOf({ when: [...when, expensive] });
    await cruise.archived(paid, aLeg({ EndsAt: 1_000 }));
    expect(await states(cruise)).toBe(1);

    await cruise.archived(aTicket({ ...soon, Price: 101 }));
    expect(await states(cruise)).toBe(2);
  });
});

describe('an audit', () => {
  test('misses nothing that when leaves out, and does not take it for a state that was not erased', async () => {
    const cruise = archiveOf({ onDelete: 'erase' });
    await cruise.archived(paid);
    await cruise.archived(held);
    expect(wrongs(await audit(cruise))).toEqual([]);
    cruise.table.expire(key);
    await cruise.archive();

    expect(wrongs(await audit(cruise))).toEqual([]);
  });

  test('claims what when fails on', () => {
    const { registry } = archiveOf({ when: [failing] }).worker.context;

    expect(claimsOfItems(registry, [keyed(paid)])).toHaveLength(1);
    expect(claimsOfEnds(registry, [change({ before: paid, expired: true })])).toHaveLength(1);
  });
});

describe('a sweep', () => {
  function sweepOf(...items: readonly Item[]): CruiseSweep {
    return new CruiseSweep(items, makeRegistry(table, [], [{ ...ticketsAge, when: [priced] }]));
  }
  const priced = predicate(ticket, { reads: ['Price'], item: ({ Price }) => Price > 10 });

  test.each([
    ['no item expire that is left out', 1, 0],
    ['the others expire, archived', 11, 1],
  ])('lets %s', async (_, Price, objects) => {
    const cruise = sweepOf(aUsedTicket('t', { Price }));
    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket()) !== undefined).toBe(objects > 0);
    expect(cruise.archive.keys()).toHaveLength(objects);
  });

  test('writes only while an item is as the rule has read it, however many attributes it has', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`Stamp${index}`, index]));
    const cruise = sweepOf({ ...item(many), ...aUsedTicket('t', { Price: 11 }) });
    const updates = recordedUpdates(cruise);
    await cruise.run();

    expect(Object.keys(updates[0]?.expect ?? {})).toEqual(
      expect.arrayContaining(['Price', 'Status', 'SoldAt']),
    );
  });

  test('leaves companions alone that are left out', async () => {
    const rule = { ...ticketsAge, when: [predicate(leg, { reads: [], item: () => false })] };
    const cruise = new CruiseSweep([aUsedTicket(), aLeg()], makeRegistry(table, [], [rule]));
    await cruise.run();

    expect(expiryOf(cruise, aUsedTicket())).toBeDefined();
    expect(expiryOf(cruise, aLeg())).toBeUndefined();
    expect(cruise.archive.keys()).toHaveLength(1);
  });
});

function change(some: Partial<Change>): Change {
  return { key, before: undefined, after: undefined, sequence: 1n, expired: false, at: undefined, ...some };
}
