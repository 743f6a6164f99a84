export const author = { pk: 'author#ada', sk: 'profile', _type: 'author', name: 'Ada' };

export const post = {
  ...{ pk: 'post#1', sk: 'post', _type: 'post', author_id: 'ada', author_name: 'Ada', title: 'Engines' },
  ...{ status: 'published', published_at: '2026-01-15T09:30:00Z' },
  ...{ author_pk: 'author#ada', author_sk: 'post#2026-01-15' },
};

export const comment = {
  ...{ pk: 'post#1', sk: 'comment#1', _type: 'comment', author_id: 'ada', author_name: 'Ada' },
  ...{ title: 'Engines', text: 'Thanks', author_pk: 'author#ada', author_sk: 'comment#1' },
};

export const tagged = {
  ...{ pk: 'post#1', sk: 'tag#history', _type: 'tagged-post', title: 'Engines' },
  ...{ tag_pk: 'tag#history#published', tag_sk: '2026-01-15T09:30:00Z' },
};
