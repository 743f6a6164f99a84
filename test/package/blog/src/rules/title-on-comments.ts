import { defineRule } from 'stream-denormalizer';
import { comment, post } from '../items.ts';

export const titleOnComments = defineRule({
  name: 'title-on-comments',
  root: post,
  copy: comment,
  located: { in: 'partition', at: ({ ids }) => ({ pk: comment.pk(ids), begins: 'comment#' }) },
  rootOf: ({ ids }) => post.key(ids),
  copies: ['title'],
  onDelete: 'delete',
  onExpire: 'delete',
});
