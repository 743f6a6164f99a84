import type { TableNames } from 'stream-denormalizer';

/** Every name of the table that the code uses. */
export const table = {
  pk: 'pk',
  sk: 'sk',
  indexes: {
    byAuthor: { name: 'by-author', pk: 'author_pk', sk: 'author_sk' },
    byTag: { name: 'by-tag', pk: 'tag_pk', sk: 'tag_sk' },
  },
  ttl: 'expires_at',
  type: '_type',
} as const satisfies TableNames;

export const { byAuthor, byTag } = table.indexes;
