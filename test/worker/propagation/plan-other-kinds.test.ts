import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Item, keyIn } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { type Attributes, item } from '../../fixtures/model/items.ts';
import { table } from '../../fixtures/model/table.ts';
import { justBefore } from '../../fixtures/world/table-faults.ts';
import { workerOver as overWorld } from '../../fixtures/world/world.ts';

/** Posts and comments have no type, but what becomes of them when they are deleted has one. */
const [posts, comments] = [
  { pk: 'POST#{post}', sk: 'POST' },
  { pk: 'POST#{post}', sk: 'COMMENT#{comment}' },
] as const;
const attributes = z.object({ Title: z.string() });
const post = defineKind({ ...posts, name: 'Post', attributes });
const comment = defineKind({ ...comments, name: 'Comment', attributes });
const type = 'Tombstone';
const kinds = [
  defineKind({ ...posts, name: 'PostTombstone', type, attributes }),
  defineKind({ ...comments, name: 'CommentTombstone', type, attributes }),
];

const spec = {
  ...{ name: 'title-on-comments', root: post, copy: comment, onExpire: 'keep' as const },
  rootOf: ({ ids }: OfPost) => post.key(ids),
  copies: ['Title'],
  onDelete: 'delete',
} as const;

const partition = defineRule({
  ...spec,
  located: { in: 'partition', at: ({ ids }) => ({ pk: post.pk(ids), begins: 'COMMENT#' }) },
});

interface OfPost {
  readonly ids: { readonly post: string };
}

function aPost(more: Attributes = {}): Item {
  return item({ Part: 'POST#1', Sort: 'POST', Title: 'a', ...more });
}

function aComment(more: Attributes = {}): Item {
  return item({ Part: 'POST#1', Sort: 'COMMENT#1', Title: 'a', ...more });
}

function workerOver(items: readonly Item[], rule: Rule = partition, given = kinds): ModelWorker {
  const worker = overWorld(items, {}, defineConfig({ table, rules: [rule], kinds: given }).registry());
  return worker;
}

function commentIn(worker: ModelWorker): Item | undefined {
  return worker.table.read(keyIn(table, aComment()));
}

const dead = { Kind: type };

describe('of a kind without a type, whose items may become those of a kind with one', () => {
  test('a root that is one again just before its copies are deleted keeps them', async () => {
    const worker = workerOver([aPost(), aComment()]);
    worker.table.put(aPost(dead));
    justBefore(worker, 'remove', () => worker.table.put(aPost()));
    await worker.rest();

    expect(commentIn(worker)).toEqual(aComment());
  });

  test('a root that is none any more just before its copy is created gets none', async () => {
    const creating = defineRule({
      ...{ ...spec, creates: true },
      located: { in: 'key', at: ({ ids }) => comment.key({ post: ids.post, comment: '1' }) },
    });
    const worker = workerOver([], creating);
    worker.table.put(aPost());
    const { transact } = worker.port;
    worker.port.transact = async (...asked) => {
      worker.port.transact = transact;
      worker.table.put(aPost(dead));
      await worker.rest();
      return transact.apply(worker.port, asked);
    };
    await worker.rest();

    expect(commentIn(worker)).toBeUndefined();
  });

  test('a copy that is none any more just before it is deleted stays', async () => {
    const worker = workerOver([aPost(), aComment()]);
    worker.table.delete(keyIn(table, aPost()));
    justBefore(worker, 'remove', () => worker.table.put(aComment(dead)));
    await worker.rest();

    expect(commentIn(worker)).toEqual(aComment(dead));
  });

  test('a copy that is none any more just before it is updated stays as it is', async () => {
    const worker = workerOver([aPost(), aComment()]);
    worker.table.put(aPost({ Title: 'b' }));
    justBefore(worker, 'update', () => worker.table.put(aComment(dead)));
    await worker.rest();

    expect(commentIn(worker)).toEqual(aComment(dead));
  });
});

test.each<RemovalPolicy>(['delete', 'clear'])(
  'what becomes of a root is no copy of it, though it fits their kind: %s',
  async (onDelete) => {
    const root = defineKind({ ...posts, name: 'Post', type: 'Post', attributes });
    const copy = defineKind({ name: 'Part', pk: 'POST#{post}', sk: '{part}', attributes });
    const rule = defineRule({
      ...{ ...spec, root, copy, onDelete },
      located: { in: 'partition', at: ({ ids }) => ({ pk: root.pk(ids) }) },
    });
    const worker = workerOver([aPost({ Kind: 'Post' }), aComment()], rule, []);
    worker.table.put(aPost(dead));
    await worker.rest();

    expect(worker.table.read(keyIn(table, aPost()))).toEqual(aPost(dead));
    expect(commentIn(worker)).toEqual(onDelete === 'delete' ? undefined : aComment({ Title: undefined }));
  },
);
