import { defineKind } from 'stream-denormalizer';
import * as z from 'zod';
import { byAuthor, byTag } from './table.ts';

export const author = defineKind({
  name: 'Author',
  type: 'author',
  pk: 'author#{author}',
  sk: 'profile',
  attributes: z.object({ name: z.string() }),
});

export const post = defineKind({
  name: 'Post',
  type: 'post',
  pk: 'post#{post}',
  sk: 'post',
  attributes: z.object({
    author_id: z.string(),
    author_name: z.string(),
    title: z.string(),
    status: z.enum(['draft', 'published', 'withdrawn']),
    published_at: z.iso.datetime(),
    [byAuthor.pk]: z.string(),
    [byAuthor.sk]: z.string(),
  }),
});

export const comment = defineKind({
  name: 'Comment',
  type: 'comment',
  pk: 'post#{post}',
  sk: 'comment#{comment}',
  attributes: z.object({
    author_id: z.string(),
    author_name: z.string(),
    title: z.string(),
    text: z.string(),
    [byAuthor.pk]: z.string(),
    [byAuthor.sk]: z.string(),
  }),
});

/** A post under one of its tags, newest last. */
export const tagged = defineKind({
  name: 'TaggedPost',
  type: 'tagged-post',
  pk: 'post#{post}',
  sk: 'tag#{tag}',
  attributes: z.object({ title: z.string(), [byTag.pk]: z.string(), [byTag.sk]: z.string() }),
});
