import { describe, expect, test } from 'vitest';
import { DenormError, RuleError, Unavailable, Unprojectable, Unworkable } from '../../src/model/errors.ts';

describe('an error', () => {
  test.each([
    [new DenormError('a.b', 'why'), 'DenormError', false],
    [new RuleError('a.b', 'why'), 'RuleError', false],
    [new Unprojectable('root', 'a.b', 'why'), 'Unprojectable', false],
    [new Unavailable('a.b', 'why'), 'Unavailable', true],
    [new Unworkable('a.b', 'why'), 'Unworkable', false],
  ])('says what it is: %s', (error, name, retryable) => {
    expect(error).toBeInstanceOf(DenormError);
    expect(error).toMatchObject({ name, code: 'a.b', message: 'why', retryable });
  });

  test('keeps its name where a bundler renames classes', () => {
    const Minified = class a extends Unavailable {};

    expect(new Minified('a.b', 'why').name).toBe('Unavailable');
  });

  test('names the rule and the key that it is about, and its cause', () => {
    const cause = new Error('below');
    const error = new Unprojectable('root', 'a.b', 'why', {
      rule: 'a-rule',
      key: { pk: 'p', sk: 's' },
      cause,
    });

    expect(error).toMatchObject({ rule: 'a-rule', key: { pk: 'p', sk: 's' }, cause });
    expect('cause' in new Unprojectable('root', 'a.b', 'why')).toBe(false);
  });
});
