import { defineRule } from 'stream-denormalizer';
import { author, comment } from '../items.ts';
import { byAuthor } from '../table.ts';

export const authorNameOnComments = defineRule({
  name: 'author-name-on-comments',
  root: author,
  copy: comment,
  reads: { root: ['name'], copy: ['author_id'] },
  located: {
    in: 'index',
    index: byAuthor,
    at: ({ ids }) => ({ pk: `author#${ids.author}`, begins: 'comment#' }),
  },
  rootOf: ({ author_id }) => author.key({ author: author_id }),
  derive: { author_name: ({ root }) => root.name },
  onDelete: 'clear',
  onExpire: 'keep',
});
