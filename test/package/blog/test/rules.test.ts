import { describeRule } from 'stream-denormalizer/testing';
import config from '../denorm.config.ts';

const author = { pk: 'author#ada', sk: 'profile', _type: 'author', name: 'Ada' };
const post = {
  ...{ pk: 'post#1', sk: 'post', _type: 'post', author_id: 'ada', author_name: 'Ada', title: 'Engines' },
  ...{ status: 'published', published_at: '2026-01-15T09:30:00Z' },
  ...{ author_pk: 'author#ada', author_sk: 'post#2026-01-15' },
};
const comment = {
  ...{ pk: 'post#1', sk: 'comment#1', _type: 'comment', author_id: 'ada', author_name: 'Ada' },
  ...{ title: 'Engines', text: 'Thanks', author_pk: 'author#ada', author_sk: 'comment#1' },
};
const tagged = {
  ...{ pk: 'post#1', sk: 'tag#history', _type: 'tagged-post', title: 'Engines' },
  ...{ tag_pk: 'tag#history#published', tag_sk: '2026-01-15T09:30:00Z' },
};

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
