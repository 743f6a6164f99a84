import { describe, expect, test } from 'vitest';
import { type ArchivedState, inOrder } from '../../../src/worker/archive/archived-state.ts';

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

/** A version of the item’s own object, identified by its digest. */
function version(digest: string, sequence: bigint, archivedAt: number): ArchivedState {
  return { ...listed, digest, sequence, archivedAt };
}

function last(digest: string, sequence: bigint, archivedAt: number): ArchivedState {
  return { ...version(digest, sequence, archivedAt), final: true };
}

function line(digest: string, sequence: bigint, archivedAt: number, final = false): ArchivedState {
  return { ...version(digest, sequence, archivedAt), versionId: undefined, line: 0, final };
}

describe('the states of an item', () => {
  test.each<[string, ArchivedState[], ArchivedState[], string]>([
    [
      'from records: the order of the records, whenever they were put',
      [line('c', 30n, 1), last('b', 20n, 3), line('a', 9n, 2)],
      [],
      'abc',
    ],
    [
      'from puts: the order of the puts, whatever their records',
      [],
      [version('a', 5n, 1), version('b', 3n, 1), version('c', 4n, 2)],
      'abc',
    ],
    ['put before the item ended: before its last state', [last('b', 10n, 2)], [version('a', 5n, 1)], 'ab'],
    [
      'of a younger record: after the last state, even if that was put later',
      [last('a', 10n, 9)],
      [version('b', 15n, 1)],
      'ab',
    ],
    [
      'that a slow put stored after the last state: before it, because their record is older',
      [last('b', 10n, 1)],
      [version('a', 5n, 2)],
      'ab',
    ],
    [
      'without a record: by the time of their put',
      [line('a', 10n, 1), line('c', 20n, 3)],
      [line('b', 0n, 2)],
      'abc',
    ],
    ['without a record, put last: last', [line('a', 10n, 1), line('c', 20n, 3)], [line('d', 0n, 4)], 'acd'],
    [
      'without a record: before a state whose record is in the same second',
      [line('b', 10n, 1)],
      [version('a', 0n, 1)],
      'ab',
    ],
    [
      'of several lives: in the order of the lives',
      [last('b', 20n, 9), last('d', 40n, 9)],
      [version('a', 10n, 1), version('c', 30n, 2), version('e', 50n, 3)],
      'abcde',
    ],
    [
      'whose put contradicts an older record: the order of their puts',
      [last('a', 20n, 5)],
      [version('b', 30n, 1), version('c', 5n, 1)],
      'abc',
    ],
    [
      'whose put contradicts a record in between: the order of their puts',
      [last('a', 20n, 5)],
      [version('b', 30n, 1), version('c', 25n, 1)],
      'abc',
    ],
    [
      'of which a record is in two batches: once',
      [line('a', 10n, 1), line('a', 10n, 2), line('b', 20n, 3, true), line('b', 20n, 4, true)],
      [],
      'ab',
    ],
    ['of a record that was archived in each layout: once', [line('a', 10n, 1)], [version('a', 10n, 2)], 'a'],
    [
      'of a life that ended as the next one began: both',
      [line('a', 10n, 1, true), line('a', 20n, 2)],
      [],
      'aa',
    ],
    ['of two lives that ended in one state: both', [last('a', 10n, 1), last('a', 20n, 2)], [], 'aa'],
    [
      'to which the item returned: both',
      [line('a', 10n, 1), line('b', 20n, 2), line('a', 30n, 3)],
      [],
      'aba',
    ],
    ['put twice, each for its own record: both', [], [version('a', 10n, 1), version('a', 30n, 2)], 'aa'],
    ['put twice without a record: both', [], [version('a', 0n, 1), version('a', 0n, 2)], 'aa'],
    [
      'put between two others, for a record between theirs: all',
      [],
      [version('b', 5n, 1), version('a', 10n, 2), version('a', 30n, 3)],
      'baa',
    ],
    [
      'put between two others, for the record of the one before: all',
      [],
      [version('b', 10n, 1), version('a', 10n, 2), version('a', 30n, 3)],
      'baa',
    ],
    [
      'put between two others, without a record: all',
      [],
      [version('b', 20n, 1), version('a', 0n, 2), version('a', 30n, 3)],
      'baa',
    ],
  ])('%s', (_, byRecord, byPut, expected) => {
    expect(
      inOrder(byRecord, byPut)
        .map(({ digest }) => digest)
        .join(''),
    ).toBe(expected);
  });

  test('are one if the last state equals the one before, and it is the last state', () => {
    expect(inOrder([last('a', 20n, 5)], [version('a', 10n, 1)])).toMatchObject([
      { digest: 'a', final: true },
    ]);
  });

  test.each<[string, readonly ArchivedState[], readonly ArchivedState[]]>([
    ['a record is in two batches', [line('a', 10n, 7), line('a', 10n, 3), line('a', 10n, 5)], []],
    ['the item ended in that state', [last('a', 20n, 5)], [version('a', 10n, 3)]],
    [
      'an older record had put the state to which the item returned',
      [],
      [version('b', 20n, 1), version('a', 10n, 3), version('a', 30n, 5)],
    ],
  ])('are one that dates from the first of them: %s', (_, byRecord, byPut) => {
    const later = line('c', 40n, 9);

    expect(inOrder([...byRecord, later], byPut).slice(-2)).toMatchObject([
      { digest: 'a', archivedAt: 3 },
      { digest: 'c', archivedAt: 9 },
    ]);
  });

  test('are one if an older record and then its own put the state to which the item returned', () => {
    const puts = [version('a', 10n, 1), version('b', 20n, 2), version('a', 10n, 3), version('a', 30n, 4)];

    expect(inOrder([], puts).map(({ sequence }) => sequence)).toEqual([10n, 20n, 30n]);
  });

  test('are all kept if their content is unknown', () => {
    const unknown = { ...listed, digest: undefined };

    expect(inOrder([{ ...unknown, final: true, sequence: 1n }], [unknown, unknown])).toHaveLength(3);
    expect(
      inOrder(
        [],
        [20n, 10n, 30n].map((sequence) => ({ ...unknown, sequence })),
      ),
    ).toHaveLength(3);
  });
});
