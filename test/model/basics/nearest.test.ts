import { describe, expect, test } from 'vitest';
import { didYouMean, nearest } from '../../../src/model/basics/nearest.ts';

describe('the nearest known name', () => {
  test.each([
    ['Titel', ['Status', 'Title'], 'Title'],
    ['title', ['Status', 'Title'], 'Title'],
    ['onDelte', ['onExpire', 'onDelete'], 'onDelete'],
    ['usr', ['user'], 'user'],
    ['Pubished', ['PublishedAt', 'Published'], 'Published'],
  ])('of %s among %j is %s', (name, known, expected) => {
    expect(nearest(name, known)).toBe(expected);
  });

  test.each([
    ['Colour', ['Status', 'Title']],
    ['ab', ['xy']],
    ['x', []],
  ])('of %s among %j does not exist', (name, known) => {
    expect(nearest(name, known)).toBeUndefined();
  });

  test('is suggested; otherwise all are listed', () => {
    expect(didYouMean('Titel', ['Status', 'Title'])).toBe("did you mean 'Title'?");
    expect(didYouMean('Colour', ['Status', 'Title'])).toBe('it has Status, Title');
    expect(didYouMean('Colour', [])).toBe('it has none');
  });
});
