import { describeRule } from 'stream-denormalizer/testing';
import config from '../denorm.config.ts';
import { author, comment, post, tagged } from './items.ts';

describeRule(config, 'author-name-on-posts', {
  root: author,
  copies: [post],
  change: { name: 'Ada Lovelace' },
  expected: { author_name: 'Ada Lovelace' },
  others: [comment],
});

describeRule(config, 'author-name-on-comments', {
  root: author,
  copies: [comment],
  change: { name: 'Ada Lovelace' },
  expected: { author_name: 'Ada Lovelace' },
  others: [post],
});

describeRule(config, 'title-on-comments', {
  root: post,
  copies: [comment],
  change: { title: 'Analytical engines' },
  expected: { title: 'Analytical engines' },
  others: [tagged],
});

describeRule(config, 'post-on-tags', {
  root: post,
  copies: [tagged],
  change: { title: 'Analytical engines', status: 'withdrawn' },
  expected: { title: 'Analytical engines', tag_pk: 'tag#history#withdrawn' },
  others: [comment],
  invalid: { published_at: undefined },
});
