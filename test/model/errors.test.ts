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
});
