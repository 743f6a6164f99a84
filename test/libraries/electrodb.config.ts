import { defineConfig, defineKind, defineRule, type TableNames } from 'stream-denormalizer';
import * as z from 'zod';

const gsi1 = { name: 'gsi1', pk: 'gsi1pk', sk: 'gsi1sk' } as const;

const table = {
  pk: 'pk',
  sk: 'sk',
  indexes: { gsi1 },
  ttl: 'expires',
  type: '__edb_e__',
} as const satisfies TableNames;

const author = defineKind({
  name: 'Author',
  type: 'author',
  pk: '$blog#authorid_{author}',
  sk: '$author_1',
  attributes: z.object({ authorId: z.string(), handle: z.string(), name: z.string() }),
});

const post = defineKind({
  name: 'Post',
  type: 'post',
  pk: '$blog#postid_{post}',
  sk: '$post_1',
  attributes: z.object({ gsi1pk: z.string(), authorName: z.string().optional() }),
});

const authorOnPosts = defineRule({
  name: 'author-on-posts',
  root: author,
  copy: post,
  reads: { copy: ['gsi1pk'] },
  located: { in: 'index', index: gsi1, at: ({ ids }) => ({ pk: author.pk(ids), begins: '$post_1#' }) },
  rootOf: ({ gsi1pk }) => ({ pk: gsi1pk, sk: '$author_1' }),
  copies: { name: 'authorName' },
  onDelete: 'keep',
  onExpire: 'keep',
});

/** An author is found by handle. The worker creates these items. */
const handle = defineKind({
  name: 'Handle',
  type: 'handle',
  pk: '$blog#handle_{handle}',
  sk: '$handle_1',
  attributes: z.object({
    ...{ authorId: z.string(), handle: z.string(), name: z.string() },
    ...{ authorKey: z.string(), __edb_v__: z.string() },
  }),
});

const handleOfAuthor = defineRule({
  name: 'handle-of-author',
  root: author,
  copy: handle,
  reads: { root: ['handle'], copy: ['authorKey'] },
  located: { in: 'key', at: (root) => handle.key({ handle: root.handle.toLowerCase() }) },
  rootOf: ({ authorKey }) => author.key({ author: authorKey }),
  creates: true,
  copies: ['authorId', 'handle', 'name'],
  derive: { authorKey: ({ root }) => root.ids.author, __edb_v__: () => '1' },
  onDelete: 'delete',
  onExpire: 'delete',
});

export default defineConfig({ table, rules: [authorOnPosts, handleOfAuthor] });
