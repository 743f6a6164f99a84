import { describe, expect, test } from 'vitest';
import { type ArchivedState, inOrder } from '../../../src/operate/archive/archived-state.ts';

const listed: ArchivedState = {
  kind: 'Ticket',
  key: { pk: 'TICKET#t', sk: 'TICKET' },
  objectKey: 'archive/Ticket/TICKET%23t/TICKET.json',
  versionId: 'v',
  line: undefined,
  final: false,
  archivedAt: 0,
  sequence: 0n,
  digest: undefined,
  bytes: 1,
  storageClass: 'STANDARD',
};

/**
 * A state of the item: `line`, a line of a batch; `last`, a last state; `ended`, the line of one; or `put`, a version of the
 * item's own object. `a10@2` is the state `a` for record 10, put at the second moment.
 */
function stateOf(text: string): ArchivedState {
  const [, kind = '', digest, sequence = '', at] = /^(\w+) (\w)(\d+)@(\d)$/.exec(text) ?? [];
  if (digest === undefined) throw new Error(`Expected a state, got ${text}`);
  const isLine = ['line', 'ended'].includes(kind);
  return {
    ...listed,
    ...{ digest, sequence: BigInt(sequence), archivedAt: Number(at) },
    ...(isLine && { versionId: undefined, line: 0 }),
    final: ['last', 'ended'].includes(kind),
  };
}

/** The states in their order: those that are ordered by their records, and those that are ordered by their puts. */
function ordered(byRecord: readonly string[], byPut: readonly string[]): readonly ArchivedState[] {
  return inOrder([...byRecord, ...byPut.toReversed()].map(stateOf));
}

describe('the states of an item', () => {
  test.each<[title: string, byRecord: string[], byPut: string[], expected: string]>([
    ['from records: the order of the records', ['line c30@1', 'last b20@3', 'line a9@2'], [], 'abc'],
    ['from puts: the order of the puts', [], ['put a5@1', 'put b3@1', 'put c4@2'], 'abc'],
    [
      'of a younger record: after the last state, even if that was put later',
      ['last a10@9'],
      ['put b15@1'],
      'ab',
    ],
    ['that a slow put stored after the last state: before it', ['last b10@1'], ['put a5@2'], 'ab'],
    ['without a record: by the time of their put', ['line a10@1', 'line c20@3'], ['line b0@2'], 'abc'],
    ['without a record, put last: last', ['line a10@1', 'line c20@3'], ['line d0@4'], 'acd'],
    [
      'without a record: before a state whose record is in the same second',
      ['line b10@1'],
      ['put a0@1'],
      'ab',
    ],
    [
      'of several lives: in their order',
      ['last b20@9', 'last d40@9'],
      ['put a10@1', 'put c30@2', 'put e50@3'],
      'abcde',
    ],
    [
      'whose put contradicts an older record: the order of their puts',
      ['last a20@5'],
      ['put b30@1', 'put c5@1'],
      'abc',
    ],
    ['whose put contradicts one in between: the same', ['last a20@5'], ['put b30@1', 'put c25@1'], 'abc'],
    ['in two batches: once', ['line a10@1', 'line a10@2', 'ended b20@3', 'ended b20@4'], [], 'ab'],
    ['in each layout: once', ['line a10@1'], ['put a10@2'], 'a'],
    ['of a life that ended as the next one began: both', ['ended a10@1', 'line a20@2'], [], 'aa'],
    ['of two lives that ended in one state: both', ['last a10@1', 'last a20@2'], [], 'aa'],
    ['to which the item returned: both', ['line a10@1', 'line b20@2', 'line a30@3'], [], 'aba'],
    ['put twice, each for its own record: both', [], ['put a10@1', 'put a30@2'], 'aa'],
    ['put twice without a record: both', [], ['put a0@1', 'put a0@2'], 'aa'],
  ])('%s', (_, byRecord, byPut, expected) => {
    const digests = ordered(byRecord, byPut).map(({ digest }) => digest);

    expect(digests.join('')).toBe(expected);
  });

  test.each<[string, string[], string[], object]>([
    ['a record is in two batches', ['line a10@7', 'line a10@3', 'line a10@5'], [], { final: false }],
    ['the item ended in that state', ['last a20@5'], ['put a10@3'], { final: true }],
  ])('are one that dates from the first of them: %s', (_, byRecord, byPut, expected) => {
    expect(ordered([...byRecord, 'line c40@9'], byPut).slice(-2)).toMatchObject([
      { digest: 'a', archivedAt: 3, ...expected },
      { digest: 'c', archivedAt: 9 },
    ]);
  });

  test('are all kept if their content is unknown', () => {
    const unknown = { ...listed, digest: undefined };

    expect(inOrder([{ ...unknown, final: true, sequence: 1n }, unknown, unknown])).toHaveLength(3);
  });
});
