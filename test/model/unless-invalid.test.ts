import { describe, expect, test } from 'vitest';
import { DenormError, InvalidItemError } from '../../src/model/errors.ts';
import { unlessInvalid } from '../../src/model/unless-invalid.ts';

describe('unless an item is invalid', () => {
  test('what comes of it is taken', () => {
    expect(
      unlessInvalid(
        () => 'projected',
        () => 'instead',
      ),
    ).toBe('projected');
  });

  test('of one that is, the reason is looked at', () => {
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

  test('any other error is thrown on', () => {
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
