import { describe, expect, it } from 'vitest';
import { firstFailed } from '../../../../src/develop/dev/event-source/batch-response.ts';

const batch = ['8', '9', '10'];
const failing = (...identifiers: unknown[]) => ({
  batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

describe('a response to a batch', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['an empty list', { batchItemFailures: [] }],
    ['a null list', { batchItemFailures: null }],
  ])('means success if it is %s', (_, response) => {
    expect(firstFailed(response, batch)).toBeUndefined();
  });

  it.each([
    ['an empty identifier', failing('')],
    ['a null identifier', failing(null)],
    ['a number for an identifier', failing(9)],
    ['an identifier of another batch', failing('11')],
    ['an unknown identifier beside a known one', failing('10', 'x')],
    ['an entry without an identifier', { batchItemFailures: [{ id: '9' }] }],
    ['failures that are not a list', { batchItemFailures: 'all' }],
    ['a text instead of an object', 'ok'],
  ])('means that every record failed if it has %s', (_, response) => {
    expect(firstFailed(response, batch)).toBe(0);
  });

  it('makes the lowest failed record the checkpoint, by position and not by text', () => {
    expect(firstFailed(failing('10', '9'), batch)).toBe(1);
    expect(firstFailed(failing('10'), batch)).toBe(2);
  });
});
