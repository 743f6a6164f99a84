import { defineConfig } from 'stream-denormalizer';
import * as z from 'zod';
import { archivePosts } from './src/rules/archive-posts.ts';
import { authorNameOnComments } from './src/rules/author-name-on-comments.ts';
import { authorNameOnPosts } from './src/rules/author-name-on-posts.ts';
import { postOnTags } from './src/rules/post-on-tags.ts';
import { titleOnComments } from './src/rules/title-on-comments.ts';
import { table } from './src/table.ts';

export default defineConfig({
  table,
  parameters: {
    KeepDays: z.int().min(1).default(365).describe('Age in days at which withdrawn posts are swept'),
  },
  rules: [authorNameOnPosts, authorNameOnComments, titleOnComments, postOnTags],
  archives: ({ KeepDays }) => [archivePosts(KeepDays)],
  stages: { dev: { endpoint: 'http://127.0.0.1:8000', table: 'blog' } },
});
