import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { average, count, sum } from '../../src/model/rules/reducers.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
import { table } from '../../src/table.ts';

export const post = defineKind({
  name: 'Post',
  type: 'Post',
  pk: 'POST#{post}',
  sk: 'POST',
  attributes: z.object({ Likes: z.number(), Weight: z.number(), Mean: z.number() }),
});

/** A like may move to another post, weigh nothing, and stop counting. */
export const like = defineKind({
  name: 'Like',
  type: 'Like',
  pk: 'LIKE#{like}',
  sk: 'LIKE',
  attributes: z.object({ Post: z.string().min(1).optional(), Weight: z.number().optional() }),
});

export const likesOfPost = (shards: number) =>
  defineAggregate({
    name: 'likes-of-post',
    of: like,
    on: post,
    reads: { member: ['Post'] },
    targetsOf: ({ Post }) => (Post === undefined ? [] : [post.key({ post: Post })]),
    computes: { Likes: count(), Weight: sum('Weight'), Mean: average('Weight', { digits: 2 }) },
    ledger: { shards },
  });

export function likes(shards: number): Registry {
  return makeRegistry(table, [], [], [], [likesOfPost(shards)]);
}
