import { aging, type Config, defineArchive, defineConfig, defineKind, defineRule } from 'stream-denormalizer';
import * as z from 'zod';

const byAuthor = { name: 'by-author', pk: 'authorKey', sk: 'authorSort' };
const byDate = { name: 'by-date', pk: 'dateKey', sk: 'dateSort' };
const names = { pk: 'pk', sk: 'sk', ttl: 'expires', type: 'kind' };

const author = defineKind({
  name: 'Author',
  pk: 'author/{author}',
  sk: 'profile',
  attributes: z.object({ name: z.string() }),
});
const post = defineKind({
  name: 'Post',
  pk: 'post/{post}',
  sk: 'post',
  attributes: z.object({ name: z.string(), author: z.string(), at: z.number() }),
});
const comment = defineKind({
  name: 'Comment',
  pk: 'post/{post}',
  sk: 'comment/{comment}',
  attributes: z.object({ name: z.string() }),
});

const authorOnPosts = defineRule({
  name: 'author-on-posts',
  root: author,
  copy: post,
  reads: { copy: ['author'] },
  located: { in: 'index', index: byAuthor, at: ({ ids }) => ({ pk: `author/${ids.author}` }) },
  rootOf: (copy) => author.key({ author: copy.author }),
  copies: ['name'],
  onDelete: 'keep',
  onExpire: 'keep',
});

/** Lower-case keys, indexes of other names, no archive, and a rule that finds its copies in an index and keeps them. */
export const blog = defineConfig({ table: { ...names, indexes: { byAuthor } }, rules: [authorOnPosts] });

const byEditor = { name: 'by-editor', pk: 'editorKey', sk: 'editorSort' };

/** Rules that find their copies in two indexes and clear them. */
export const clearing = defineConfig({
  table: { ...names, indexes: { byAuthor, byEditor } },
  rules: [
    { ...authorOnPosts, onDelete: 'clear' },
    {
      ...authorOnPosts,
      name: 'at-on-posts',
      located: { in: 'index', index: byEditor, at: () => ({ pk: 'x' }) },
      copies: ['at'],
    },
  ],
});

const postOnComments = defineRule({
  name: 'post-on-comments',
  root: post,
  copy: comment,
  located: { in: 'partition', at: ({ ids }) => ({ pk: comment.pk(ids), begins: 'comment/' }) },
  rootOf: ({ ids }) => post.key(ids),
  copies: ['name'],
  onDelete: 'delete',
  onExpire: 'clear',
});

/** A rule that creates copies and keeps them. */
export const creating = defineConfig({
  table: { ...names, indexes: {} },
  rules: [
    defineRule({
      name: 'name-at-key',
      root: author,
      copy: comment,
      located: { in: 'key', at: ({ ids }) => comment.key({ post: ids.author, comment: '1' }) },
      rootOf: ({ ids }) => author.key({ author: ids.post }),
      creates: true,
      copies: ['name'],
      onDelete: 'keep',
      onExpire: 'keep',
    }),
  ],
});

/** Every way to find copies and aged items, every layout, and an erasure. */
export const everything = defineConfig({
  table: { ...names, indexes: { byAuthor, byDate } },
  rules: [authorOnPosts, postOnComments],
  archives: [
    defineArchive({
      name: 'archive-posts',
      kinds: [post, comment],
      layout: 'batch',
      ages: aging(post, {
        reads: ['at'],
        when: () => true,
        since: ({ at }) => at,
        days: 30,
        found: { in: 'index', index: byDate, pks: ['day'], until: (moment) => moment.toISOString() },
        with: [{ kind: comment, at: ({ ids }) => ({ in: 'partition', pk: comment.pk(ids) }) }],
      }),
    }),
    defineArchive({
      name: 'archive-authors',
      kinds: [author],
      onDelete: 'erase',
      ages: aging(author, {
        reads: ['name'],
        when: () => true,
        since: () => 0,
        days: 30,
        found: { in: 'scan' },
      }),
    }),
  ],
  parameters: { Shards: z.int().min(1).max(8).default(2).describe('Partitions of an index') },
});

/** No copies; archived items that only the application lets expire: there is nothing to sweep. */
export const archiveOnly = defineConfig({
  table: { ...names, indexes: {} },
  rules: [],
  archives: [defineArchive({ name: 'archive-posts', kinds: [post] })],
  disabled: ['archive-posts'],
});

/** This many kinds, each with keys of its own, so that more than five need more filters than a mapping takes. */
export function manyKinds(count: number): Config {
  const kinds = Array.from({ length: count }, (_, index) =>
    defineKind({
      name: `K${index}`,
      pk: `P${index}#{a}`,
      sk: `S${index}#{b}`,
      attributes: z.object({ name: z.string(), copy: z.string() }),
    }),
  );
  return defineConfig({
    table: { ...names, indexes: {} },
    rules: kinds.map((kind, index) =>
      defineRule({
        name: `rule-${index}`,
        root: kind,
        copy: kind,
        reads: { root: ['name'] },
        located: { in: 'itself' },
        derive: { copy: ({ root }) => root.name },
        onDelete: 'keep',
        onExpire: 'keep',
      }),
    ),
  });
}
