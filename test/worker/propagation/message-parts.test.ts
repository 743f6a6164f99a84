import { describe, expect, test } from 'vitest';
import type { CopyLocation } from '../../../src/model/items/copy-location.ts';
import type { Message } from '../../../src/model/work/message.ts';
import { naming, partsOf } from '../../../src/worker/propagation/settle.ts';

/** SQS takes 1 MiB, as one message or as ten. */
const tenth = 1_048_576 / 10;

function about(more: Partial<Message>): Message {
  return { rule: 'r', root: { pk: 'root', sk: 'root' }, cause: 'expired', attempts: 0, ...more };
}

function longKeys(count: number) {
  return Array.from({ length: count }, (_, tag) => ({ pk: String(tag), sk: 'x'.repeat(3000) }));
}

function sizes(parts: readonly Message[]): number[] {
  return parts.map((part) => Buffer.byteLength(JSON.stringify(part)));
}

const partition = { in: 'partition', pk: 'P' } as const;

describe('the parts of a message', () => {
  test('that names many copies are alike in size, and list in their locations what they name', () => {
    const copies = longKeys(120);

    const parts = partsOf(about({ copies, locations: [partition, { in: 'keys', keys: copies }] }));

    expect(parts.map((part) => part.copies?.length)).toEqual(Array(8).fill(15));
    expect(parts.flatMap((part) => part.copies)).toEqual(copies);
    for (const part of parts) expect(part.locations).toEqual([partition, { in: 'keys', keys: part.copies }]);
    expect(Math.max(...sizes(parts))).toBeLessThan(tenth);
  });

  test('with one key that many locations list name it, and say whether the root has left it', () => {
    const copies = longKeys(2);
    const [first, second] = copies;
    if (first === undefined || second === undefined) throw new Error('Expected two keys');
    const left = Array.from({ length: 40 }, () => ({ in: 'keys' as const, keys: copies }));

    const parts = partsOf(about({ locations: [...left, { in: 'keys', keys: [second] }] }));

    expect(parts).toEqual([
      about({
        copies: [first],
        locations: [
          { in: 'keys', keys: [first] },
          { in: 'keys', keys: [] },
        ],
      }),
      about({ copies: [second], locations: [{ in: 'keys', keys: [second] }] }),
    ]);
  });

  test('with many partitions share them, each with the one that the root has not left, from the start', () => {
    const left = Array.from({ length: 60 }, (_, index): CopyLocation => {
      return { in: 'partition', pk: `${index}${'x'.repeat(3000)}` };
    });

    const parts = partsOf(about({ locations: [...left, partition], at: 7, cursor: { pk: 'a', sk: 'b' } }));

    expect(parts.map(({ at, cursor }) => [at, cursor])).toEqual(Array(2).fill([undefined, undefined]));
    expect(parts.map(({ locations }) => locations?.at(-1))).toEqual([partition, partition]);
    expect(parts.flatMap(({ locations = [] }) => locations.slice(0, -1))).toEqual(left);
    expect(Math.max(...sizes(parts))).toBeLessThan(tenth);
  });

  test.each<[string, Partial<Message>]>([
    ['one copy', { copies: longKeys(1) }],
    ['keys that some locations list', {}],
  ])('with many partitions and %s share the partitions alone', (_, more) => {
    const keys: CopyLocation = { in: 'keys', keys: longKeys(1) };
    const left = ['a', 'b'].map((pk): CopyLocation => ({ in: 'partition', pk: pk.repeat(50_000) }));

    const parts = partsOf(about({ ...more, locations: [keys, ...left, partition] }));

    expect(parts.map(({ copies }) => copies)).toEqual([more.copies, more.copies]);
  });

  test('are one up to 100,000 bytes', () => {
    const copies = ['a', 'b'].map((pk) => ({ pk, sk: 's' }));
    const short = about({ copies, rule: '' });
    const exact = { ...short, rule: 'r'.repeat(100_000 - JSON.stringify(short).length) };

    expect(partsOf(exact)).toEqual([exact]);
  });
});

test('a message that names copies leaves out the keys of others, and where a fan-out had come to', () => {
  const [first, second] = [
    { pk: 'a', sk: 'a' },
    { pk: 'b', sk: 'b' },
  ];
  const at = { at: 1, cursor: { pk: 'P', sk: 'a' } };

  expect(
    naming(
      about({
        ...at,
        locations: [
          { in: 'key', ...first },
          { in: 'key', ...second },
        ],
      }),
      [first],
    ),
  ).toEqual(
    about({
      copies: [first],
      locations: [
        { in: 'key', ...first },
        { in: 'key', ...second },
      ],
    }),
  );
  expect(naming(about({ locations: [{ in: 'keys', keys: [second] }, partition] }), [first])).toEqual(
    about({ copies: [first], locations: [partition] }),
  );
});
