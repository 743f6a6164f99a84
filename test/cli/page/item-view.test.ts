import { describe, expect, test } from 'vitest';
import votes from '../../../denorm.config.ts';
import application from '../../../denorm.config.ts';
import { itemView } from '../../../src/cli/page/item-view.ts';
import { imagesTable } from '../../../src/develop/dev/dry-run/images-table.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import type { Registry } from '../../../src/model/registry.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { aPost, aTagged, post, posts, taggedPost, titleOnTags } from '../../fixtures/posts/posts.ts';

function viewOf(registry: Registry, items: readonly Item[], key: ItemKey) {
  const table = imagesTable(registry.table, items);
  return itemView({ registry, table, settings: defaultSettings, archive: undefined }, key);
}

describe('the view of a root whose copies are at several keys', () => {
  test('lists the keys, and says which copies are made, which are written, and with what', async () => {
    const registry = posts(titleOnTags);
    const items = [aPost(['new', 'old', 'right']), aTagged('old', 'zero'), aTagged('right')];
    const { kinds, roles, planned } = await viewOf(registry, items, { pk: 'POST#1', sk: 'POST' });

    expect(kinds).toEqual(['Post']);
    expect(roles).toEqual([
      { rule: 'title-on-tags', says: expect.stringContaining('is its root: see the propagation below') },
    ]);
    expect(planned).toMatchObject([{ members: undefined, written: 2, unchanged: 1 }]);
    expect(planned[0]?.where.join()).toContain('TAG#new');
    expect(planned[0]?.writes.toSorted((a, b) => (a.key.pk < b.key.pk ? -1 : 1))).toEqual([
      { key: { pk: 'TAG#new', sk: 'POST#1' }, does: expect.stringMatching(/^creates it with .*Title/) },
      { key: { pk: 'TAG#old', sk: 'POST#1' }, does: 'sets Title' },
    ]);
  });

  test('says of a copy whose key is on the list, and of one whose key is not, what the worker does', async () => {
    const registry = posts(titleOnTags);
    const items = [aPost(['here']), aTagged('here'), aTagged('gone')];
    const [here, gone] = await Promise.all(
      ['here', 'gone'].map((tag) => viewOf(registry, items, { pk: `TAG#${tag}`, sk: 'POST#1' })),
    );

    expect(here?.roles[0]?.says).toContain('it is what its root says');
    expect(gone?.roles[0]?.says).toContain('which places its copies elsewhere');
  });

  test('names the kind of a key without an item', async () => {
    const view = await viewOf(posts(titleOnTags), [], { pk: 'TAG#x', sk: 'POST#1' });

    expect(view).toMatchObject({ item: undefined, kinds: ['TaggedPost'], planned: [] });
  });
});

test('the view of a root with more copies than are read says so', async () => {
  const registry = application.registry();
  const key = { pk: 'USER#1', sk: '#METADATA' };
  const copies = (count: number) =>
    Array.from({ length: count }, (_, at): Item => {
      const server = { S: `SERVER#${at}` };
      return {
        ...{ PK: server, SK: { S: 'USER#1' }, Type: { S: 'Membership' }, username: { S: 'Ada' } },
        ...{ userId: { S: '1' }, GSI1PK: { S: 'USER#1' }, GSI1SK: server },
      };
    });
  const user = { PK: { S: key.pk }, SK: { S: key.sk }, Type: { S: 'User' }, userId: { S: '1' } };
  const viewed = (count: number) =>
    viewOf(registry, [{ ...user, username: { S: 'Ada' } }, ...copies(count)], key);
  const pages = defaultSettings.pageLimit;

  expect((await viewed(4 * pages - 1)).planned).toMatchObject([{ unchanged: 4 * pages - 1, more: false }]);
  expect((await viewed(4 * pages + 1)).planned).toMatchObject([{ unchanged: 4 * pages, more: true }]);
  expect((await viewed(3)).planned).toMatchObject([{ unchanged: 3, more: false }]);
});

test('the view of a root for which when is false says that its copies go', async () => {
  const registry = posts(
    defineRule({
      ...{ name: 'title-of-published', root: post, copy: taggedPost, reads: { root: ['Tags', 'Title'] } },
      when: { root: ({ Title }) => Title !== 'draft' },
      located: {
        in: 'keys',
        at: ({ ids, Tags }) => Tags.map((tag) => taggedPost.key({ tag, post: ids.post })),
      },
      rootOf: ({ ids }) => post.key({ post: ids.post }),
      ...{ copies: ['Title'], onDelete: 'delete', onExpire: 'keep' },
    }),
  );
  const items = [aPost(['a'], 'draft'), aTagged('a')];
  const { roles, planned } = await viewOf(registry, items, { pk: 'POST#1', sk: 'POST' });
  const copy = await viewOf(registry, items, { pk: 'TAG#a', sk: 'POST#1' });

  expect(roles[0]?.says).toContain('but when is false, and its copies are deleted');
  expect(planned[0]?.writes).toEqual([{ key: { pk: 'TAG#a', sk: 'POST#1' }, does: 'deletes it' }]);
  expect(copy.roles[0]?.says).toContain('for which when is false: it is deleted');
});

describe('the view of an aggregate', () => {
  const registry = votes.registry();
  const records = [aRecord('a', 'b', 3, 1), aRecord('c', 'a', 0, 2)];
  const contender = (wins: string): Item => ({
    ...{ PK: { S: 'CONTENDER#a' }, SK: { S: 'metadata' }, Type: { S: 'Contender' }, Name: { S: 'a' } },
    ...{ SVG: { S: '' }, Wins: { N: wins }, Losses: { N: '1' }, Score: { N: '4' } },
  });
  const key = { pk: 'CONTENDER#a', sk: 'metadata' };

  test('says of a target which totals differ, and from how many members, found where', async () => {
    const { kinds, roles, planned } = await viewOf(registry, [contender('4'), ...records], key);
    const totals = planned.find(({ rule }) => rule === 'contender-totals');

    expect(kinds).toEqual(['Contender']);
    expect(roles).toContainEqual({
      ...{ rule: 'contender-totals', says: 'is its target: see the computation below' },
    });
    expect(totals).toMatchObject({ root: key, members: 2, written: 1, writes: [{ key, does: 'sets Wins' }] });
    expect(totals?.where).toHaveLength(2);
  });

  test('says that totals are right', async () => {
    const { planned } = await viewOf(registry, [contender('5'), ...records], key);

    expect(planned.find(({ rule }) => rule === 'contender-totals')).toMatchObject({
      ...{ written: 0, unchanged: 1, writes: [] },
    });
  });

  test('says of a member for which targets it counts', async () => {
    const { roles, planned } = await viewOf(registry, [contender('5'), ...records], {
      ...{ pk: 'CONTENDER#a', sk: 'VS#b' },
    });

    expect(roles.find(({ rule }) => rule === 'contender-totals')?.says).toMatch(
      /^is its member, and counts for .*CONTENDER#a.* and .*CONTENDER#b/,
    );
    expect(planned.filter(({ members }) => members !== undefined).map(({ root }) => root.pk)).toEqual([
      'CONTENDER#a',
      'CONTENDER#b',
    ]);
  });
});

function aRecord(one: string, two: string, oneWins: number, twoWins: number): Item {
  return {
    ...{ PK: { S: `CONTENDER#${one}` }, SK: { S: `VS#${two}` }, Type: { S: 'HeadToHead' } },
    ...{ Contender1: { S: one }, Contender2: { S: two } },
    ...{ Contender1Wins: { N: String(oneWins) }, Contender2Wins: { N: String(twoWins) } },
    ...{ GSI1PK: { S: `CONTENDER#${two}` }, GSI1SK: { S: `VS#${one}` } },
  };
}
