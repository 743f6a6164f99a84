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
    [new DenormError('a.b', 'why'), 'DenormError'],
    [new RuleError('a.b', 'why'), 'RuleError'],
    [new InvalidItemError('root', 'a.b', 'why'), 'InvalidItemError'],
    [new TransientError('a.b', 'why'), 'TransientError'],
    [new FatalError('a.b', 'why'), 'FatalError'],
  ])('has a name: %s', (error, name) => {
    expect(error).toBeInstanceOf(DenormError);
    expect(error).toMatchObject({ name, code: 'a.b', message: 'why' });
  });
});
