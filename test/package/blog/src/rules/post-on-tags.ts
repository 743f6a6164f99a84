import { defineRule } from 'stream-denormalizer';
import { post, tagged } from '../items.ts';
import { byTag } from '../table.ts';

export const postOnTags = defineRule({
  name: 'post-on-tags',
  root: post,
  copy: tagged,
  reads: { root: ['published_at', 'status'] },
  located: { in: 'partition', at: ({ ids }) => ({ pk: tagged.pk(ids), begins: 'tag#' }) },
  rootOf: ({ ids }) => post.key(ids),
  copies: ['title'],
  derive: {
    [byTag.pk]: ({ copy, root }) => `tag#${copy.ids.tag}#${root.status}`,
    [byTag.sk]: ({ root }) => root.published_at,
  },
  onDelete: 'delete',
  onExpire: 'delete',
});
