import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { aMembership, anIncident, anOrder, aParticipation } from '../../fixtures/world/items.ts';
import { aPost, aTagged, titleOnTags } from '../../fixtures/world/posts.ts';
import {
  incidentOnParticipations,
  orderStateKeys,
  usernameOnMemberships,
} from '../../fixtures/world/rules.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { keyed, keyIn } from '../../fixtures/world/worker.ts';

describe('a look at copies', () => {
  test('reads each root once and after the copies', async () => {
    const { looks, search } = await look([anIncident()], incidentOnParticipations, [
      aParticipation('f'),
      aParticipation('g'),
    ]);

    expect(looks.map(({ classification }) => classification.is)).toEqual(['right', 'right']);
    expect(search.port.counts).toMatchObject({ getMany: 1, itemsRead: 1 });
  });

  test('reads nothing for items that are their own copies, or that name no root', async () => {
    const itself = await look([], orderStateKeys, [anOrder(), anOrder({ StateSort: undefined })]);
    const nobodys = await look([], usernameOnMemberships, [aMembership('s', { UserId: undefined })]);

    expect(itself.looks.map(({ classification }) => classification.is)).toEqual(['right', 'drift']);
    expect(nobodys.looks).toMatchObject([{ classification: { drift: { kind: 'invalid' } } }]);
    expect(itself.search.port.counts.requests() + nobodys.search.port.counts.requests()).toBe(0);
  });
});

describe('the digests of a look', () => {
  test('are empty for a copy that is right', async () => {
    expect(await seen([anIncident()], aParticipation('g'))).toEqual({ copy: '', root: '' });
  });

  test('are equal if copy and root are unchanged', async () => {
    const wrong = aParticipation('g', { State: 'odd' });
    const [first, again, other, grown] = await Promise.all([
      seen([anIncident()], wrong),
      seen([anIncident()], wrong),
      seen([anIncident({ Lead: 'Erik' })], wrong),
      seen([anIncident()], aParticipation('g', { State: 'odd', Note: 'x' })),
    ]);

    expect(again).toEqual(first);
    expect(other).toEqual({ copy: first?.copy, root: expect.not.stringMatching(`^${first?.root}$`) });
    expect(grown).toEqual({ copy: expect.not.stringMatching(`^${first?.copy}$`), root: first?.root });
    expect(first?.root).toMatch(/^[\w-]{16}$/);
  });

  test('read a hundred roots at a time, and one of many copies once', async () => {
    const users = Array.from({ length: 201 }, (_, index) => `${index}`);
    const ofOne = users.map((user) => aParticipation(user));
    const ofMany = users.map((user) =>
      aParticipation(user, { Part: `acct_1#incident_${user}#participations` }),
    );

    const [one, many] = await Promise.all(
      [ofOne, ofMany].map((copies) => look([], incidentOnParticipations, copies)),
    );

    expect(one?.search.port.counts).toMatchObject({ getMany: 1 });
    expect(many?.search.port.counts).toMatchObject({ getMany: 3 });
    expect(many?.looks.map(({ copy }) => copy.sk)).toEqual(users);
  });

  test('say that an orphan has no root, and that an item may be its own', async () => {
    const orphan = await look([], incidentOnParticipations, [aParticipation('g')]);
    const itself = await look([], orderStateKeys, [anOrder({ StateSort: undefined })]);

    expect(orphan.looks).toMatchObject([
      { classification: { drift: { kind: 'orphan' } }, seen: { root: 'none' } },
    ]);
    expect(itself.looks).toMatchObject([{ seen: { root: 'itself' } }]);
  });
});

describe('a look at keys at which a root places copies', () => {
  test('reads the keys, then the roots of those without a copy, a hundred at a time', async () => {
    const placing = Array.from({ length: 201 }, (_, index) => `${index}`);
    const { looks, reads } = await lookAtKeys(placing, [aPost(['0', '1']), aTagged('0')]);

    expect(reads.map((keys) => keys.length)).toEqual([100, 1, 100, 1, 1, 1]);
    expect(reads[1]).toEqual([keyIn(aPost([]))]);
    expect(looks.slice(0, 3)).toMatchObject([
      { copy: keyIn(aTagged('0')), classification: { is: 'right' } },
      { copy: keyIn(aTagged('1')), classification: { is: 'drift', drift: { kind: 'missing' } } },
      { copy: keyIn(aTagged('2')), classification: { is: 'right' } },
    ]);
  });

  test('reads no root if each key has its copy', async () => {
    expect((await lookAtKeys(['a'], [aPost(['a']), aTagged('a')])).reads).toHaveLength(1);
  });

  test('has digests that say what is missing, and whether the root has changed', async () => {
    const seenAt = async (root: Item) => (await lookAtKeys(['a'], [root])).looks[0]?.seen;
    const [first, again, other] = [aPost(['a']), aPost(['a']), aPost(['a'], 'two')].map(seenAt);

    expect(await first).toEqual({ copy: 'none', root: expect.stringMatching(/^[\w-]{16}$/) });
    expect(await again).toEqual(await first);
    expect(await other).not.toEqual(await first);
  });
});

describe('a look at a target', () => {
  test('has digests of the target and of what its members add up to, if it is wrong', async () => {
    const wrong = aContender('a', { Matches: 9 });
    const [first, again, other, grown] = await Promise.all([
      seenOfContender(wrong, aMatch('a', 'b')),
      seenOfContender(wrong, aMatch('a', 'b')),
      seenOfContender(wrong, aMatch('a', 'b', { HomePoints: 7 })),
      seenOfContender(aContender('a', { Matches: 8 }), aMatch('a', 'b')),
    ]);

    expect(again).toEqual(first);
    expect(other).toEqual({ copy: first?.copy, root: expect.not.stringMatching(`^${first?.root}$`) });
    expect(grown).toEqual({ copy: expect.not.stringMatching(`^${first?.copy}$`), root: first?.root });
    expect([first?.copy, first?.root]).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{16}$/)));
  });
});

/** A look at keys at which the post places tags, over a table that holds these items, and the keys that each request read. */
async function lookAtKeys(tags: readonly string[], items: readonly Item[]) {
  const { registry, port } = new WorldSearch(items, titleOnTags);
  const reads: (readonly unknown[])[] = [];
  port.before = (request) => {
    if (request.kind === 'getMany') reads.push(request.keys);
  };
  const root = keyIn(aPost([]));
  const placed = tags.map((tag) => ({
    is: 'placed' as const,
    rule: bound(titleOnTags),
    root,
    key: keyIn(aTagged(tag)),
  }));
  return { looks: await lookAt({ registry, table: port, orphans: 'all' }, placed), reads };
}

async function seenOfContender(target: Item, ...members: readonly Item[]) {
  const { registry, port } = new WorldSearch([target, ...members], contenderTotals);
  const [found] = await lookAt({ registry, table: port, orphans: 'all' }, [
    { is: 'target', rule: bound(contenderTotals), copy: keyed(target) },
  ]);
  return found?.seen;
}

/** A look at copies by a rule, over a table that holds these roots. */
async function look(roots: readonly Item[], rule: Rule, copies: readonly Item[]) {
  const search = new WorldSearch(roots);
  const context = { registry: search.registry, table: search.port, orphans: 'all' } as const;
  return {
    search,
    looks: await lookAt(
      context,
      copies.map((copy) => ({ is: 'copy' as const, rule: bound(rule), copy: keyed(copy) })),
    ),
  };
}

async function seen(roots: readonly Item[], copy: Item) {
  const [found] = (await look(roots, incidentOnParticipations, [copy])).looks;
  return found?.seen;
}
