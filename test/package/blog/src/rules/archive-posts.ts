import { type ArchiveRule, aging, defineArchive } from 'stream-denormalizer';
import { post } from '../items.ts';

/** Withdrawn posts are archived when they are old enough. */
export function archivePosts(days: number): ArchiveRule {
  return defineArchive({
    name: 'archive-posts',
    kinds: [post],
    onDelete: 'keep',
    ages: aging(post, {
      reads: ['status', 'published_at'],
      when: ({ status }) => status === 'withdrawn',
      since: ({ published_at }) => Date.parse(published_at),
      days,
      found: { in: 'scan' },
    }),
  });
}
