import { describe, expect, test } from 'vitest';
import { DenormError, Unprojectable } from '../../src/model/errors.ts';
import { unlessUnprojectable } from '../../src/model/unless-invalid.ts';

describe('unless an item is unprojectable', () => {
  test('what comes of it is taken', () => {
    expect(
      unlessUnprojectable(
        () => 'projected',
        () => 'instead',
      ),
    ).toBe('projected');
  });

  test('of one that is, the reason is looked at', () => {
    const error = new Unprojectable('copy', 'copy.unprojectable', 'it lacks a title');

    expect(
      unlessUnprojectable(
        () => {
          throw error;
        },
        ({ code }) => code,
      ),
    ).toBe('copy.unprojectable');
  });

  test('any other error is thrown on', () => {
    const error = new DenormError('rule.undeclared-read', 'a fault of the rule');

    expect(() =>
      unlessUnprojectable(
        () => {
          throw error;
        },
        () => 'instead',
      ),
    ).toThrow(error);
  });
});
