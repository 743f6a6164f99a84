import { defineRule } from 'stream-denormalizer';
import { author, post } from '../items.ts';
import { byAuthor } from '../table.ts';

export const authorNameOnPosts = defineRule({
  name: 'author-name-on-posts',
  root: author,
  copy: post,
  reads: { root: ['name'], copy: ['author_id'] },
  located: {
    in: 'index',
    index: byAuthor,
    at: ({ ids }) => ({ pk: `author#${ids.author}`, begins: 'post#' }),
  },
  rootOf: ({ author_id }) => author.key({ author: author_id }),
  derive: { author_name: ({ root }) => root.name },
  onDelete: 'keep',
  onExpire: 'keep',
});
