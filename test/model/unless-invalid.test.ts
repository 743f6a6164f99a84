import { describe, expect, test } from 'vitest';
import { DenormError, InvalidItemError } from '../../src/model/errors.ts';
import { unlessInvalid } from '../../src/model/unless-invalid.ts';

describe('unlessInvalid', () => {
  test('returns the result for a valid item', () => {
    expect(
      unlessInvalid(
        () => 'projected',
        () => 'instead',
      ),
    ).toBe('projected');
  });

  test('passes the error for an invalid item to the alternative', () => {
    const error = new InvalidItemError('copy', 'copy.invalid', 'it lacks a title');

    expect(
      unlessInvalid(
        () => {
          throw error;
        },
        ({ code }) => code,
      ),
    ).toBe('copy.invalid');
  });

  test('rethrows any other error', () => {
    const error = new DenormError('rule.undeclared-read', 'a fault of the rule');

    expect(() =>
      unlessInvalid(
        () => {
          throw error;
        },
        () => 'instead',
      ),
    ).toThrow(error);
  });
});
