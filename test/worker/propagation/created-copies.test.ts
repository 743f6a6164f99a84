import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ModelWorker } from '../../../src/develop/testing/table-model/model-worker.ts';
import { defineRule } from '../../../src/model/define-rule.ts';
import { type Item, keyText } from '../../../src/model/item.ts';
import { defineKind } from '../../../src/model/kind.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import type { Rule } from '../../../src/model/rule.ts';
import { propagateMessage } from '../../../src/worker/propagation/fan-out-batch.ts';
import { keyIn, oneBatch, spent, workerOver as workerOf } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';
import {
  aMember,
  anAddress,
  aPost,
  aTagged,
  memberOnAddress,
  post,
  posts,
  taggedPost,
  titleOnTags,
  titleOnTagsThat,
} from '../../fixtures/posts/posts.ts';

const thePost = keyIn(aPost([]));
const many = Array.from({ length: 100 }, (_, index) => `t${index}`);

const commonly = {
  name: 'title-on-tags',
  root: post,
  copy: taggedPost,
  reads: { root: ['Tags'] },
  located: {
    in: 'keys',
    at: ({ ids, Tags }: { ids: { post: string }; Tags: string[] }) =>
      Tags.map((tag) => taggedPost.key({ tag, post: ids.post })),
  },
  rootOf: ({ ids }: { ids: { post: string } }) => post.key({ post: ids.post }),
  creates: true,
  onDelete: 'delete',
  onExpire: 'delete',
} as const;

describe('a missing copy', () => {
  test('is put whole where its root places it, on condition that the root is as read', async () => {
    const worker = workerOver([]);
    worker.table.put({ ...aPost(['a', 'b']), Views: { N: '1' } });
    let expected: unknown;
    worker.port.before = (request) => {
      if (request.kind === 'create') expected = request.root;
    };

    await oneBatch(worker);

    expect(copies(worker)).toEqual([aTagged('a'), aTagged('b')]);
    const { Kind, Tags, Title } = aPost(['a', 'b']);
    expect(expected).toEqual({ key: thePost, expect: { Kind, Tags, Title } });
    expect(worker.telemetry.propagations).toMatchObject([{ written: 2 }]);
  });

  test('is not put again when it comes back on the stream', async () => {
    const worker = workerOver([]);
    worker.table.put(aPost(['a', 'b']));
    await worker.rest();

    expect(spent(worker)).toMatchObject({ create: 1, itemsCreated: 2 });
    expect(spent(worker)).not.toHaveProperty('update');
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('of a hundred is put in two transactions at most', async () => {
    const worker = workerOver([]);
    worker.table.put(aPost(many));

    await worker.rest();

    expect(copies(worker)).toHaveLength(100);
    expect(spent(worker)).toMatchObject({ create: 2 });
  });

  test('is left missing by a rule that does not create', async () => {
    const worker = workerOver([], [titleOnTagsThat('delete')]);
    worker.table.put(aPost(['a']));
    await worker.rest();
    worker.table.put(aPost(['a', 'b'], 'two'));

    await worker.rest();

    expect(copies(worker)).toEqual([]);
  });

  test('follows a list: added, renamed, removed, and emptied', async () => {
    const worker = workerOver([]);
    const becomes = async (tags: readonly string[], title: string) => {
      worker.table.put(aPost(tags, title));
      await worker.rest();
      expect(copies(worker)).toEqual(tags.map((tag) => aTagged(tag, title)));
    };

    await becomes(['a'], 'one');
    await becomes(['a', 'b'], 'one');
    await becomes(['b', 'c'], 'two');
    await becomes([], 'two');
    await becomes(['a'], 'three');
  });

  test('keeps what applications add to it', async () => {
    const worker = workerOver([aPost(['a']), { ...aTagged('a'), Pinned: { BOOL: true } }]);
    worker.table.put(aPost(['a', 'b'], 'two'));

    await worker.rest();

    expect(copies(worker)).toEqual([{ ...aTagged('a', 'two'), Pinned: { BOOL: true } }, aTagged('b', 'two')]);
  });

  test('that was deleted by hand is made again, from the root as it is', async () => {
    const worker = workerOver([aPost(['a', 'b'], 'two'), aTagged('a', 'two'), aTagged('b', 'two')]);
    worker.table.delete(keyIn(aTagged('a')));

    await worker.rest();

    expect(copies(worker)).toEqual([aTagged('a', 'two'), aTagged('b', 'two')]);
  });

  test('that was deleted by hand stays so if its root places it no more', async () => {
    const worker = workerOver([aPost(['b']), aTagged('a'), aTagged('b')]);
    worker.table.delete(keyIn(aTagged('a')));

    await worker.rest();

    expect(copies(worker)).toEqual([aTagged('b')]);
    expect(spent(worker)).not.toHaveProperty('create');
  });

  test.each(['delete', 'expire'] as const)('is not made for a root that is gone (%s)', async (how) => {
    const worker = workerOver([aPost(['a', 'b']), aTagged('a')]);
    worker.table.put(aPost(['a', 'b', 'c'], 'two'));
    worker.table[how](thePost);
    worker.table.delete(keyIn(aTagged('a')));

    await worker.rest(1);

    expect(copies(worker)).toEqual([]);
    expect(worker.table.history.filter(({ by, after }) => by === 'worker' && after)).toEqual([]);
  });

  test('is made only for roots that the rule applies to', async () => {
    const rule = {
      ...titleOnTags,
      when: { root: ({ Tags }: Record<string, unknown>) => Array.isArray(Tags) && Tags.length > 1 },
    };
    const worker = workerOver([], [rule]);
    worker.table.put(aPost(['a']));
    await worker.rest();
    expect(copies(worker)).toEqual([]);
    worker.table.put(aPost(['a', 'b']));
    await worker.rest();
    expect(copies(worker)).toEqual([aTagged('a'), aTagged('b')]);
    worker.table.put(aPost(['a']));
    await worker.rest();
    expect(copies(worker)).toEqual([]);
  });

  test('is made for a root that was deleted and put again', async () => {
    const worker = workerOver([aPost(['a']), aTagged('a')]);
    worker.table.delete(thePost);
    await oneBatch(worker);
    worker.table.put(aPost(['a', 'b'], 'two'));

    await worker.rest();

    expect(copies(worker)).toEqual([aTagged('a', 'two'), aTagged('b', 'two')]);
  });

  test.each<[string, (worker: ModelWorker) => void, Item[]]>([
    ['is deleted', (worker) => worker.table.delete(thePost), []],
    ['says something else', (worker) => worker.table.put(aPost(['a'], 'two')), [aTagged('a', 'two')]],
    ['places it no more', (worker) => worker.table.put(aPost([])), []],
    ['has it already', (worker) => worker.table.put(aTagged('a', 'mine')), [aTagged('a')]],
  ])('is not put from what was read, if meanwhile its root %s', async (_, meanwhile, left) => {
    const worker = workerOver([]);
    worker.table.put(aPost(['a']));
    let times = 0;
    worker.port.before = ({ kind }) => {
      times += kind === 'create' ? 1 : 0;
      if (kind === 'create' && times === 1) meanwhile(worker);
    };

    await worker.rest();

    expect(copies(worker)).toEqual(left);
    const made = worker.table.history.filter(({ by, before }) => by === 'worker' && before === undefined);
    for (const { after } of made) expect(left).toContainEqual(after);
  });

  test('is found by a message that names it, as a repair does', async () => {
    const worker = workerOver([aPost(['a'])]);
    const message = { rule: 'title-on-tags', root: thePost, cause: 'repair', attempts: 0 } as const;

    await propagateMessage(worker.context, {
      ...message,
      copies: [keyIn(aTagged('a')), keyIn(aTagged('z'))],
    });

    expect(copies(worker)).toEqual([aTagged('a')]);
  });

  test('that is put counts as progress of the others of its page', async () => {
    const worker = workerOver([aPost(['a', 'b', 'c'], 'two'), aTagged('a')]);
    worker.port.answer = ({ pk }, outcome) => (pk === 'TAG#c' ? 'unavailable' : outcome);

    await propagateMessage(worker.context, {
      ...{ rule: 'title-on-tags', root: thePost, cause: 'changed', attempts: 5, unavailableSince: 1 },
    });

    expect(worker.queue.sent).toMatchObject([
      { message: { copies: [keyIn(aTagged('c'))], attempts: 0, unavailableSince: worker.time } },
    ]);
  });

  test('is requeued by name if it is not known to have been put', async () => {
    const worker = workerOver([]);
    worker.table.put(aPost(['a']));
    worker.port.answer = () => 'unavailable';
    await oneBatch(worker);

    expect(worker.queue.sent).toMatchObject([{ message: { copies: [keyIn(aTagged('a'))] } }]);
  });

  test('that a check asks for is left to a propagation of the same batch that reads its key', async () => {
    const worker = workerOver([aPost(['a']), aTagged('a')]);
    worker.table.delete(keyIn(aTagged('a')));
    worker.table.put(aPost(['a'], 'two'));

    await oneBatch(worker);

    expect(copies(worker)).toEqual([aTagged('a', 'two')]);
    expect(spent(worker)).toMatchObject({ create: 1, get: 1, getMany: 1 });
  });

  test('cannot be made of a root without what it needs, and is dead-lettered with the root', async () => {
    const worker = workerOver([aTagged('a')]);
    const { Tags: _, ...without } = aPost([]);
    worker.table.put(without);
    worker.table.delete(keyIn(aTagged('a')));

    await worker.rest();

    expect(copies(worker)).toEqual([]);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toContain('root.invalid');
  });

  test('is put while the root is still placed as read, if a condition cannot hold all that is copied', async () => {
    const rule = defineRule({ ...commonly, copies: 'all', unknown: 'remove' });
    const attributes = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, { N: '1' }]));
    const worker = workerOver([], [rule]);
    let expected: unknown;
    worker.port.before = (request) => {
      if (request.kind === 'create') expected = request.root.expect;
    };

    worker.table.put({ ...aPost(['a']), ...attributes(10) });
    await oneBatch(worker);
    worker.table.put({ ...aPost(['a', 'b'], 'one', '2'), ...attributes(130) });
    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([
      { written: 1, narrowed: 0 },
      { written: 2, narrowed: 2 },
    ]);
    const { Kind, Tags } = aPost(['a', 'b']);
    expect(expected).toEqual({ Kind, Tags });
  });

  test('has attributes that are derived from the root and the key, and none of the copy', async () => {
    const rule = defineRule({
      ...commonly,
      reads: { root: ['Tags', 'Views'], copy: ['Title'] },
      derive: { Title: ({ root, copy }) => `${root.Views} ${copy.ids.tag}` },
    });
    const worker = workerOver([{ ...aPost(['a']), Views: { N: '1' } }, aTagged('a', 'mine')], [rule]);
    worker.table.put({ ...aPost(['a', 'b']), Views: { N: '2' } });

    await worker.rest();

    expect(copies(worker)).toEqual([aTagged('a', '2 a'), aTagged('b', '2 b')]);
  });

  test('is dead-lettered if it is derived from attributes of the copy, whether it is there or not', async () => {
    const rule = defineRule({
      ...commonly,
      reads: { root: ['Tags'], copy: ['Title'] },
      derive: { Title: ({ copy }) => `${copy.Title}!` },
    });
    const worker = workerOver([aTagged('a')], [rule]);
    worker.table.put(aPost(['a', 'b']));

    await worker.rest();

    expect(copies(worker)).toEqual([aTagged('a')]);
    expect(worker.queue.deadLettered.map(({ code }) => code)).toEqual(['copy.invalid', 'copy.invalid']);
  });

  test.each<[string, Rule]>([
    [
      'would be of another kind',
      defineRule({
        ...commonly,
        copies: ['Title'],
        located: { in: 'key', at: () => ({ pk: 'TOG#a', sk: 'POST#1' }) },
      }),
    ],
    [
      'would name another root',
      defineRule({ ...commonly, copies: ['Title'], rootOf: () => post.key({ post: '2' }) }),
    ],
  ])('is dead-lettered, and not put, if it %s', async (_, rule) => {
    const worker = workerOver([], [rule]);
    worker.table.put(aPost(['a']));

    await worker.rest();

    expect(copies(worker)).toEqual([]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.misnamed' }]);
  });

  test('is dead-lettered, and not put, if it would be another tenant’s', async () => {
    const rule = defineRule({
      ...{ ...commonly, copies: ['Title'], tenant: 'post' },
      located: { in: 'key', at: () => taggedPost.key({ tag: 'a', post: '2' }) },
      rootOf: () => post.key({ post: '1' }),
    });
    const worker = workerOver([], [rule]);
    worker.table.put(aPost(['a']));

    await worker.rest();

    expect(copies(worker)).toEqual([]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.crosses-tenant' }]);
  });

  test('is dead-lettered, and not updated, if it would then name another root', async () => {
    const worker = workerOver(
      [anAddress('1', 'a@x')],
      [{ ...memberOnAddress, derive: { MemberId: () => '2' } }],
    );
    worker.table.put(aMember('1', 'a@x'));

    await worker.rest();

    expect(copies(worker)).toEqual([anAddress('1', 'a@x')]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.misnamed' }]);
  });
});

describe('a key that two roots want', () => {
  const mine = anAddress('1', 'a@x');

  test('belongs to the first; the copy of the other is dead-lettered after three quarters of an hour', async () => {
    const worker = workerOver([aMember('1', 'a@x'), mine], [memberOnAddress]);
    worker.table.put(aMember('2', 'a@x', 'Bob'));
    await oneBatch(worker);
    expect(worker.queue.deadLettered).toEqual([]);

    const delays = await worker.workOff(100_000);

    expect(copies(worker)).toEqual([mine]);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(45 * 60);
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.taken', message: { root: keyIn(aMember('2', '')), copies: [keyIn(mine)] } },
    ]);
  });

  test('passes to the other if the first leaves meanwhile', async () => {
    const worker = workerOver([aMember('1', 'a@x'), mine], [memberOnAddress]);
    worker.table.put(aMember('2', 'a@x', 'Bob'));
    await oneBatch(worker);
    worker.table.put(aMember('1', 'b@x'));
    await oneBatch(worker);

    await worker.workOff(60);

    expect(copies(worker)).toEqual([anAddress('2', 'a@x', 'Bob'), anAddress('1', 'b@x')]);
    expect(worker.queue.deadLettered).toEqual([]);
  });

  test('that has an item of another kind is not overwritten', async () => {
    const stranger: Item = { ...aTagged('a'), Kind: { S: 'Stranger' } };
    const worker = workerOver([stranger]);
    worker.table.put(aPost(['a', 'b'], 'two'));

    await worker.rest();

    expect(copies(worker)).toEqual([stranger, aTagged('b', 'two')]);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.taken' }]);
  });

  test('is counted as foreign, once it is given up', async () => {
    const worker = workerOver([aMember('1', 'a@x'), aMember('2', 'a@x'), mine], [memberOnAddress]);
    const { maxAttempts } = worker.context.settings;
    const root = keyIn(aMember('2', ''));

    await propagateMessage(worker.context, {
      ...{ rule: 'member-on-address', root, cause: 'changed', attempts: maxAttempts },
      copies: [keyIn(mine)],
    });

    expect(worker.telemetry.propagations).toMatchObject([{ foreign: 1, written: 0, deadLettered: 1 }]);
  });

  test('is asked for again when its copy is made to name another root, or none', async () => {
    const worker = workerOver([aMember('1', 'a@x'), mine], [memberOnAddress]);
    worker.table.put(anAddress('3', 'a@x'));

    await worker.rest();

    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.taken', message: { root: keyIn(aMember('1', '')) } },
    ]);
  });
});

describe('a rule that creates is refused', () => {
  const refusal = (rule: () => Rule) => () => makeRegistry(table, [rule()]);

  test('unless it lists the keys', () => {
    const rule = () =>
      defineRule({
        ...commonly,
        copies: ['Title'],
        located: { in: 'partition', at: () => ({ pk: 'TAG#a' }) },
      });
    expect(refusal(rule)).toThrow(expect.objectContaining({ code: 'rule.cannot-create' }));
  });

  test('unless somebody writes what the schema requires', () => {
    const copy = defineKind({
      name: 'Noted',
      pk: 'TAG#{tag}',
      sk: 'POST#{post}',
      attributes: z.object({ Title: z.string(), Note: z.string() }),
    });
    const creating = () => defineRule({ ...commonly, copy, copies: ['Title'] });
    expect(refusal(creating)).toThrow(
      expect.objectContaining({
        code: 'rule.creates-part',
        message:
          "Rule title-on-tags creates Noted without 'Note', which its schema requires: add it to copies or derive, or make it optional in the schema",
      }),
    );
    const other = defineRule({
      ...commonly,
      name: 'other',
      copy,
      creates: false,
      derive: { Note: () => 'x' },
    });
    expect(() => makeRegistry(table, [creating(), other])).not.toThrow();
  });

  test.each(['all', ['Title']] as const)(
    'if the root may lack what the schema requires, with copies: %j',
    (copies) => {
      const attributes = post.attributes.extend({ Title: z.string().optional() });
      const creating = () => defineRule({ ...commonly, root: { ...post, attributes }, copies });

      expect(refusal(creating)).toThrow(
        expect.objectContaining({
          code: 'rule.creates-part',
          message:
            "Rule title-on-tags creates TaggedPost with 'Title' of Post, which only the schema of TaggedPost requires: require it in both schemas, or in neither",
        }),
      );
    },
  );

  test('if creates is something else than true or false', () => {
    expect(() => defineRule({ ...commonly, copies: ['Title'], creates: 'yes' as never })).toThrow(
      expect.objectContaining({ code: 'rule.invalid-field' }),
    );
  });
});

function workerOver(items: readonly Item[], rules: readonly Rule[] = [titleOnTags]): ModelWorker {
  return workerOf(items, {}, posts(...rules));
}

/** The items that are no roots, by their keys. */
function copies(worker: ModelWorker): Item[] {
  return worker.table
    .items()
    .filter((item) => !['POST', 'MEMBER'].includes(keyIn(item).sk))
    .toSorted((a, b) => (keyText(keyIn(a)) < keyText(keyIn(b)) ? -1 : 1));
}
