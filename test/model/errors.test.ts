import { describe, expect, test } from 'vitest';
import {
  DenormError,
  FatalError,
  InvalidItemError,
  RuleError,
  TransientError,
} from '../../src/model/errors.ts';

describe('an error', () => {
  test.each([
    [new DenormError('a.b', 'why'), 'DenormError', false],
    [new RuleError('a.b', 'why'), 'RuleError', false],
    [new InvalidItemError('root', 'a.b', 'why'), 'InvalidItemError', false],
    [new TransientError('a.b', 'why'), 'TransientError', true],
    [new FatalError('a.b', 'why'), 'FatalError', false],
  ])('has a name and is retryable or not: %s', (error, name, retryable) => {
    expect(error).toBeInstanceOf(DenormError);
    expect(error).toMatchObject({ name, code: 'a.b', message: 'why', retryable });
  });

  test('keeps its name if a bundler renames classes', () => {
    const Minified = class a extends TransientError {};

    expect(new Minified('a.b', 'why').name).toBe('TransientError');
  });

  test('names its rule, its key and its cause', () => {
    const cause = new Error('below');
    const error = new InvalidItemError('root', 'a.b', 'why', {
      rule: 'a-rule',
      key: { pk: 'p', sk: 's' },
      cause,
    });

    expect(error).toMatchObject({ rule: 'a-rule', key: { pk: 'p', sk: 's' }, cause });
    expect('cause' in new InvalidItemError('root', 'a.b', 'why')).toBe(false);
  });
});
