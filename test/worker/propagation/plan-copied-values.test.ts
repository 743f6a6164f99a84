import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { explainItem } from '../../../src/explain/explain.ts';
import { type Item, keyIn } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { type Attributes, item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { registryOf, workerOver } from '../../fixtures/world/world.ts';

const author = defineKind({
  name: 'Author',
  pk: 'AUTHOR#{author}',
  sk: 'PROFILE',
  attributes: z.object({ Name: z.string(), Motto: z.string().optional(), Rank: z.string().default('guest') }),
});

const post = defineKind({
  name: 'Post',
  pk: 'AUTHOR#{author}',
  sk: 'POST#{post}',
  attributes: z.object({
    Name: z.string(),
    Motto: z.string().optional(),
    Rank: z.string().optional(),
    AuthorName: z.string().optional(),
  }),
});

const spec = {
  name: 'author-on-posts',
  root: author,
  copy: post,
  located: {
    in: 'partition',
    at: ({ ids }: { readonly ids: { readonly author: string } }) => ({ pk: post.pk(ids), begins: 'POST#' }),
  },
  rootOf: ({ ids }: { readonly ids: { readonly author: string } }) => author.key(ids),
  onDelete: 'delete',
  onExpire: 'keep',
} as const;

const byName = defineRule({ ...spec, copies: ['Name', 'Motto', 'Rank'] });

function anAuthor(attributes: Attributes): Item {
  return item({ Part: 'AUTHOR#ada', Sort: 'PROFILE', ...attributes });
}

function aPost(attributes: Attributes, id = '1'): Item {
  return item({ Part: 'AUTHOR#ada', Sort: `POST#${id}`, ...attributes });
}

const before = { Name: 'Ada', Motto: 'Compute', Rank: 'staff' };
const posts = [aPost(before), aPost(before, '2')];

/** What a change of the author leaves of two posts, by the codes of dead letters. */
async function changed(rule: Rule, attributes: Attributes, copies: readonly Item[] = posts) {
  const worker = workerOver([anAuthor(before), ...copies], {}, rule);
  worker.table.put(anAuthor(attributes));
  await worker.rest();
  const left = worker.table.items().filter((one) => keyIn(table, one).sk !== 'PROFILE');
  return { left, codes: worker.queue.deadLettered.map(({ code }) => code), worker };
}

describe('a root without an attribute that is copied by name', () => {
  test('is dead-lettered, and its copies keep it', async () => {
    const { left, codes, worker } = await changed(byName, { Motto: 'Compute', Rank: 'staff' });

    expect(left).toEqual(posts);
    expect(codes).toEqual(['root.invalid']);
    expect(worker.queue.deadLettered[0]?.reason).toBe(
      "Expected attribute 'Name' of Author to be string, found none",
    );
  });

  test('is dead-lettered, and its copies keep it, by the name that the root has for it', async () => {
    const renamed = defineRule({ ...spec, copies: { Name: 'AuthorName' } });
    const copies = [aPost({ AuthorName: 'Ada' })];
    const { left, codes } = await changed(renamed, { Rank: 'guest' }, copies);

    expect([left, codes]).toEqual([copies, ['root.invalid']]);
  });

  test('takes it from its copies if the schema accepts undefined', async () => {
    const { left, codes } = await changed(byName, { Name: 'Ada' });

    expect([left, codes]).toEqual([[aPost({ Name: 'Ada' }), aPost({ Name: 'Ada' }, '2')], []]);
  });

  test("takes it from its copies by copies: 'all', which asks no schema", async () => {
    const all = defineRule({ ...spec, copies: 'all', unknown: 'remove' });
    const { left, codes } = await changed(all, { Rank: 'staff' });

    expect([left, codes]).toEqual([[aPost({ Rank: 'staff' }), aPost({ Rank: 'staff' }, '2')], []]);
  });

  test('still removes its copies', async () => {
    const { worker } = await changed(byName, { Rank: 'staff' });
    worker.table.delete(keyIn(table, anAuthor({})));
    await worker.rest();

    expect(worker.table.items()).toEqual([]);
  });
});

test('a value that the schema refuses is not copied', async () => {
  const { left, codes } = await changed(byName, { ...before, Name: 7 });

  expect([left, codes]).toEqual([posts, ['root.invalid']]);
});

test('a value on which the schema throws is not copied, and holds up no record', async () => {
  const root = defineKind({
    ...{ name: 'Author', pk: 'AUTHOR#{author}', sk: 'PROFILE' },
    attributes: z.object({ Name: z.string().transform((text) => JSON.parse(text)) }),
  });
  const { left, codes, worker } = await changed(defineRule({ ...spec, root, copies: ['Name'] }), {
    Name: 'Eve',
  });

  expect([left, codes]).toEqual([posts, ['root.invalid']]);
  expect(worker.queue.deadLettered[0]?.reason).toBe(
    "Expected attribute 'Name' of Author to be a value that its schema accepts, found another of type S (its schema threw SyntaxError)",
  );
});

test('a copy that a rule creates is not made of a root without what is copied', async () => {
  const creating = defineRule({
    ...spec,
    located: { in: 'key', at: ({ ids }) => post.key({ author: ids.author, post: 'first' }) },
    creates: true,
    copies: ['Name'],
  });
  const { left, codes } = await changed(creating, { Motto: 'Compute' }, []);

  expect([left, codes]).toEqual([[], ['root.invalid']]);
});

describe('of such a root', () => {
  const invalid = anAuthor({ Motto: 'Compute', Rank: 'staff' });
  const stale = aPost({ ...before, Motto: 'Rest' }, '2');

  test('verify reports each copy as invalid, and repair writes none', async () => {
    const search = new WorldSearch([invalid, aPost(before), stale], byName);
    await search.run();

    expect(search.lines()).toEqual([
      'invalid author-on-posts AUTHOR#ada POST#1',
      'invalid author-on-posts AUTHOR#ada POST#2',
    ]);
    expect(await search.propagations({ allowRemove: true }).repair(search.found)).toMatchObject({
      propagations: 0,
      written: 0,
    });
  });

  test('a repair of drift that was found before says why it leaves the copy alone', async () => {
    const search = new WorldSearch([anAuthor(before), stale], byName);
    await search.run();
    search.table.put(invalid);

    const { written, leftAlone } = await search.propagations({ allowRemove: true }).repair(search.found);

    expect([written, leftAlone.map(({ code }) => code)]).toEqual([0, ['root.invalid']]);
  });

  test('a backfill writes no copy, and says why', async () => {
    const search = new WorldSearch([invalid, aPost(before), stale], byName);
    const { written, leftAlone } = await search.backfill(byName);

    expect([written, leftAlone.map(({ code }) => code)]).toEqual([0, ['root.invalid']]);
    expect(search.table.items()).toContainEqual(stale);
  });

  test('explain says that it would be dead-lettered, and plans no write', async () => {
    const search = new WorldSearch([invalid, aPost(before), stale], byName);
    const options = { registry: registryOf(byName), table: search.port, settings: defaultSettings };
    const ofRoot = await explainItem(options, keyIn(table, invalid));
    const ofCopy = await explainItem(options, keyIn(table, stale));

    for (const { rounds } of [ofRoot, ofCopy]) {
      const work = rounds.flatMap((round) => round.work);
      expect(work.flatMap(({ deadLettered }) => deadLettered)).toEqual([
        expect.stringMatching(/^root.invalid/),
      ]);
    }
    expect(search.port.counts.itemsWritten).toBe(0);
  });
});
