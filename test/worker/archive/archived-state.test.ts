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

function digests(states: readonly ArchivedState[]): (string | undefined)[] {
  return states.map(({ digest }) => digest);
}

describe('the states of an item', () => {
  test('from records are in the order of the records, whenever they were put', () => {
    const states = [line('c', 30n, 1), last('b', 20n, 3), line('a', 9n, 2)];

    expect(digests(inOrder(states, []))).toEqual(['a', 'b', 'c']);
  });

  test('from puts stay in the order of the puts, whatever their records', () => {
    const states = [version('a', 5n, 1), version('b', 3n, 1), version('c', 4n, 2)];

    expect(digests(inOrder([], states))).toEqual(['a', 'b', 'c']);
  });

  test('that were put before the item ended come before its last state', () => {
    expect(digests(inOrder([last('b', 10n, 2)], [version('a', 5n, 1)]))).toEqual(['a', 'b']);
  });

  test('of a younger record come after the last state, even if that was put later', () => {
    expect(digests(inOrder([last('a', 10n, 9)], [version('b', 15n, 1)]))).toEqual(['a', 'b']);
  });

  test('that a slow put stored after the last state come before it: their record is older', () => {
    expect(digests(inOrder([last('b', 10n, 1)], [version('a', 5n, 2)]))).toEqual(['a', 'b']);
  });

  test('without a record are ordered by the time of their put', () => {
    const records = [line('a', 10n, 1), line('c', 20n, 3)];

    expect(digests(inOrder(records, [line('b', 0n, 2)]))).toEqual(['a', 'b', 'c']);
    expect(digests(inOrder(records, [line('d', 0n, 4)]))).toEqual(['a', 'c', 'd']);
  });

  test('of several lives alternate in the order of the lives', () => {
    const records = [last('b', 20n, 9), last('d', 40n, 9)];
    const puts = [version('a', 10n, 1), version('c', 30n, 2), version('e', 50n, 3)];

    expect(digests(inOrder(records, puts))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([5n, 25n])('keep the order of their puts even if record %d contradicts it', (sequence) => {
    const puts = [version('b', 30n, 1), version('c', sequence, 1)];

    expect(digests(inOrder([last('a', 20n, 5)], puts))).toEqual(['a', 'b', 'c']);
  });

  test('without a record come before a state whose record is in the same second', () => {
    expect(digests(inOrder([line('b', 10n, 1)], [version('a', 0n, 1)]))).toEqual(['a', 'b']);
  });

  test('are one if the last state equals the one before, and it is the last state', () => {
    const [only, ...others] = inOrder([last('a', 20n, 5)], [version('a', 10n, 1)]);

    expect(others).toEqual([]);
    expect(only).toMatchObject({ digest: 'a', final: true });
  });

  test('are one if a record is in two batches', () => {
    const twice = [line('a', 10n, 1), line('a', 10n, 2), line('b', 20n, 3, true), line('b', 20n, 4, true)];

    expect(digests(inOrder(twice, []))).toEqual(['a', 'b']);
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

  test('are one if a record was archived once in each layout', () => {
    expect(inOrder([line('a', 10n, 1)], [version('a', 10n, 2)])).toHaveLength(1);
  });

  test('are one if an older record and then its own put the state to which the item returned', () => {
    const puts = [version('a', 10n, 1), version('b', 20n, 2), version('a', 10n, 3), version('a', 30n, 4)];

    expect(inOrder([], puts).map(({ sequence }) => sequence)).toEqual([10n, 20n, 30n]);
  });

  test('are two if a life ended in the state in which the next one began', () => {
    const states = [line('a', 10n, 1, true), line('a', 20n, 2)];

    expect(inOrder(states, []).map(({ final }) => final)).toEqual([true, false]);
  });

  test('are two if two lives ended in one state', () => {
    expect(inOrder([last('a', 10n, 1), last('a', 20n, 2)], [])).toHaveLength(2);
  });

  test.each([
    ['each for its own record', [10n, 30n]],
    ['both without a record', [0n, 0n]],
  ] as const)('are two if the same state was put twice, %s', (_, [first, second]) => {
    expect(inOrder([], [version('a', first, 1), version('a', second, 2)])).toHaveLength(2);
  });

  test.each([
    ['for a record between theirs', [5n, 10n]],
    ['for the record of the one before', [10n, 10n]],
    ['without a record', [20n, 0n]],
  ] as const)('are three if one was put between two others, %s', (_, [first, second]) => {
    const puts = [version('b', first, 1), version('a', second, 2), version('a', 30n, 3)];

    expect(inOrder([], puts)).toHaveLength(3);
  });

  test('are two if the item returned to a state', () => {
    const states = [line('a', 10n, 1), line('b', 20n, 2), line('a', 30n, 3)];

    expect(digests(inOrder(states, []))).toEqual(['a', 'b', 'a']);
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
