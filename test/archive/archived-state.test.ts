import { describe, expect, test } from 'vitest';
import { type ArchivedState, inOrder } from '../../src/archive/archived-state.ts';

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

/** A version of the item's own object, named by its digest. */
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
  test('that records tell are in the order of the records, whenever they were put', () => {
    const states = [line('c', 30n, 1), last('b', 20n, 3), line('a', 9n, 2)];

    expect(digests(inOrder(states, []))).toEqual(['a', 'b', 'c']);
  });

  test('that were put stay in the order of the puts, whichever record asked for them', () => {
    const states = [version('a', 5n, 1), version('b', 3n, 1), version('c', 4n, 2)];

    expect(digests(inOrder([], states))).toEqual(['a', 'b', 'c']);
  });

  test('that were put before the item ended come before its last state', () => {
    expect(digests(inOrder([last('b', 10n, 2)], [version('a', 5n, 1)]))).toEqual(['a', 'b']);
  });

  test('that a younger record asked for come after the last state, though that was put later', () => {
    expect(digests(inOrder([last('a', 10n, 9)], [version('b', 15n, 1)]))).toEqual(['a', 'b']);
  });

  test('that a slow put brought after the last state come before it: an older record made them', () => {
    expect(digests(inOrder([last('b', 10n, 1)], [version('a', 5n, 2)]))).toEqual(['a', 'b']);
  });

  test('that no record asked for have their place by the time of their put', () => {
    const records = [line('a', 10n, 1), line('c', 20n, 3)];

    expect(digests(inOrder(records, [line('b', 0n, 2)]))).toEqual(['a', 'b', 'c']);
    expect(digests(inOrder(records, [line('d', 0n, 4)]))).toEqual(['a', 'c', 'd']);
  });

  test('of several lives alternate as the item had them', () => {
    const records = [last('b', 20n, 9), last('d', 40n, 9)];
    const puts = [version('a', 10n, 1), version('c', 30n, 2), version('e', 50n, 3)];

    expect(digests(inOrder(records, puts))).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test.each([5n, 25n])('keep the order of their puts where record %d would say otherwise', (sequence) => {
    const puts = [version('b', 30n, 1), version('c', sequence, 1)];

    expect(digests(inOrder([last('a', 20n, 5)], puts))).toEqual(['a', 'b', 'c']);
  });

  test('that no record asked for come before what one asked for in that second', () => {
    expect(digests(inOrder([line('b', 10n, 1)], [version('a', 0n, 1)]))).toEqual(['a', 'b']);
  });

  test('are one where the last one is the one before, and it is the last one', () => {
    const [only, ...others] = inOrder([last('a', 20n, 5)], [version('a', 10n, 1)]);

    expect(others).toEqual([]);
    expect(only).toMatchObject({ digest: 'a', final: true });
  });

  test('are one where a record came in two batches', () => {
    const twice = [line('a', 10n, 1), line('a', 10n, 2), line('b', 20n, 3, true), line('b', 20n, 4, true)];

    expect(digests(inOrder(twice, []))).toEqual(['a', 'b']);
  });

  test.each<[string, readonly ArchivedState[], readonly ArchivedState[]]>([
    ['a record came in two batches', [line('a', 10n, 7), line('a', 10n, 3), line('a', 10n, 5)], []],
    ['the item ended so', [last('a', 20n, 5)], [version('a', 10n, 3)]],
    [
      'an older record had put what the item came back to',
      [],
      [version('b', 20n, 1), version('a', 10n, 3), version('a', 30n, 5)],
    ],
  ])('are one that stands there since the first of them: %s', (_, byRecord, byPut) => {
    const later = line('c', 40n, 9);

    expect(inOrder([...byRecord, later], byPut).slice(-2)).toMatchObject([
      { digest: 'a', archivedAt: 3 },
      { digest: 'c', archivedAt: 9 },
    ]);
  });

  test('are one where a record came once under either layout', () => {
    expect(inOrder([line('a', 10n, 1)], [version('a', 10n, 2)])).toHaveLength(1);
  });

  test('are one where an older record had put what the item came back to, and then its own', () => {
    const puts = [version('a', 10n, 1), version('b', 20n, 2), version('a', 10n, 3), version('a', 30n, 4)];

    expect(inOrder([], puts).map(({ sequence }) => sequence)).toEqual([10n, 20n, 30n]);
  });

  test('are two where a life ended as the next one began', () => {
    const states = [line('a', 10n, 1, true), line('a', 20n, 2)];

    expect(inOrder(states, []).map(({ final }) => final)).toEqual([true, false]);
  });

  test('are two where two lives ended in one state', () => {
    expect(inOrder([last('a', 10n, 1), last('a', 20n, 2)], [])).toHaveLength(2);
  });

  test.each([
    ['each for its own record', [10n, 30n]],
    ['and no record asked for either', [0n, 0n]],
  ] as const)('are two where the same was put twice, %s', (_, [first, second]) => {
    expect(inOrder([], [version('a', first, 1), version('a', second, 2)])).toHaveLength(2);
  });

  test.each([
    ['for a record between theirs', [5n, 10n]],
    ['for the record of the one before', [10n, 10n]],
    ['for none', [20n, 0n]],
  ] as const)('are three where one was put between two others, %s', (_, [first, second]) => {
    const puts = [version('b', first, 1), version('a', second, 2), version('a', 30n, 3)];

    expect(inOrder([], puts)).toHaveLength(3);
  });

  test('are two where the item came back to a state', () => {
    const states = [line('a', 10n, 1), line('b', 20n, 2), line('a', 30n, 3)];

    expect(digests(inOrder(states, []))).toEqual(['a', 'b', 'a']);
  });

  test('are all kept where nothing says what they are', () => {
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
