import { describe, expect, test } from 'vitest';
import { DenormError } from '../../src/model/errors.ts';
import { unlessInvalid } from '../../src/model/unless-invalid.ts';

describe('unlessInvalid', () => {
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
