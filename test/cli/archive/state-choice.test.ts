import { describe, expect, test } from 'vitest';
import type { ArchivedState } from '../../../src/archive/archived-state.ts';
import { choiceOf, stateId } from '../../../src/cli/archive/state-choice.ts';

function state(name: string, archivedAt: number, more: Partial<ArchivedState> = {}): ArchivedState {
  return {
    ...{ kind: 'Order', key: { pk: 'ORDER#1', sk: 'METADATA' } },
    ...{ objectKey: 'archive/Order/ORDER%231/METADATA.json', versionId: name, line: undefined },
    ...{ final: false, archivedAt, sequence: 1n, digest: name, bytes: 1, storageClass: 'STANDARD' },
    ...more,
  };
}

const first = state('v1', 1_000);
const last = state('v2', 2_000, {
  objectKey: 'archive/Order/ORDER%231/METADATA.json.77',
  final: true,
  sequence: 77n,
});
const line = state('', 3_000, {
  objectKey: `archive/Order/dt=2026-11-21/${'ab'.repeat(20)}.ndjson.gz`,
  versionId: undefined,
  line: 3,
});
const states = [first, last, line];

test('a state goes by its version, by the record of its end, or by its batch and line', () => {
  expect(states.map(stateId)).toEqual(['v1', 'last-77', 'abababababab-3']);
});

describe('the state that is meant', () => {
  test('is the newest where nothing is said', () => {
    expect(choiceOf({})(states)).toBe(line);
    expect(choiceOf({})([])).toBeUndefined();
  });

  test('is the one of an id', () => {
    expect(states.map((one) => choiceOf({ version: stateId(one) })(states))).toEqual(states);
    expect(choiceOf({ version: 'v9' })(states)).toBeUndefined();
  });

  test('is the newest that was archived up to a time', () => {
    expect(choiceOf({ at: '1970-01-01T00:00:02Z' })(states)).toBe(last);
    expect(choiceOf({ at: '1970-01-01' })(states)).toBeUndefined();
  });

  test('is one or the other', () => {
    expect(() => choiceOf({ version: 'v1', at: '2026-01-01' })).toThrow(
      'Expected --version or --at, got both',
    );
    expect(() => choiceOf({ at: 'noon' })).toThrow('Expected --at to be a time such as 2026-11-21 or');
  });
});
