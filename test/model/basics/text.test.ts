import { expect, test } from 'vitest';
import { withArticle } from '../../../src/model/basics/text.ts';

test.each(['a Comment', 'an Appointment', 'an order', 'a User', 'a Unit', 'an Update'])(
  'a name has the article that it is spoken with: %s',
  (text) => {
    expect(withArticle(text.split(' ')[1] ?? '')).toBe(text);
  },
);
