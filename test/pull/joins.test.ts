import { describe, expect, test } from 'vitest';
import { type Join, joinOf, pairsOf, unusableName } from '../../src/pull/joins.ts';
import type { PulledKind } from '../../src/pull/kinds.ts';
import { kindsOf, pulledTable } from '../fixtures/pull/pulled.ts';

const numbers = [1, 2, 3, 4, 5];
const nine = [...numbers, 6, 7, 8, 9];
const author = (n: number, more: object = {}) => ({
  ...{ PK: `AUTHOR#a${n}`, SK: 'AUTHOR', Type: 'Author', name: `Name ${n}`, ...more },
});
const post = (n: number, more: object) => ({ PK: `POST#p${n}`, SK: 'POST', Type: 'Post', ...more });

function join(rows: Parameters<typeof kindsOf>[0]) {
  const kinds = kindsOf(rows, 'Type');
  const named = (name: string) => kinds.find((kind) => kind.name === name) as PulledKind;
  return { root: named('Author'), copy: named('Post') };
}

function joined(rows: Parameters<typeof kindsOf>[0]): Join | undefined {
  const { root, copy } = join(rows);
  return joinOf(pulledTable, root, copy, undefined);
}

const namedBy = (found: Join | undefined) =>
  found?.naming.by === 'ids'
    ? [...found.naming.sources].map(([id, { name, inLowerCase }]) => [id, name, inLowerCase])
    : found?.naming.attribute;

describe('a copy names its root', () => {
  const rows = (more: (n: number) => object) => [
    ...numbers.map((n) => author(n)),
    ...numbers.map((n) => post(n, { authorName: `Name ${n}`, ...more(n) })),
  ];

  test('by an attribute that is an id of it, exactly rather than in lower case', () => {
    expect(namedBy(joined(rows((n) => ({ authorId: `a${n}` }))))).toEqual([['author', 'authorId', false]]);
    expect(namedBy(joined(rows((n) => ({ authorId: `A${n}` }))))).toEqual([['author', 'authorId', true]]);
    expect(namedBy(joined(rows((n) => ({ by: `A${n}`, writer: `a${n}` }))))).toEqual([
      ['author', 'writer', false],
    ]);
  });

  test('by its whole partition key', () => {
    expect(namedBy(joined(rows((n) => ({ speaker: `AUTHOR#a${n}` }))))).toBe('speaker');
  });

  test('only if most copies have one', () => {
    expect(joined(rows((n) => ({ authorId: n < 3 ? `a${n}` : 'x' })))).toBeUndefined();
    expect(joined(rows((n) => ({ authorId: n < 4 ? `a${n}` : 'x' })))?.pairs).toHaveLength(3);
  });

  test('of copies whose roots were not asked for, nothing is known', () => {
    const { root, copy } = join(rows((n) => ({ authorId: n < 3 ? `a${n}` : 'x' })));

    expect(joinOf(pulledTable, root, copy, new Set(copy.items.slice(0, 2)))?.pairs).toHaveLength(2);
  });
});

describe('attributes of copies', () => {
  const pairs = (of: (n: number) => object, ofPost: (n: number) => object, count = 5) => {
    const some = numbers.slice(0, count);
    const found = joined([
      ...some.map((n) => author(n, of(n))),
      ...some.map((n) => post(n, { authorId: `a${n}`, ...ofPost(n) })),
    ]);
    return found && pairsOf(pulledTable, found).map(({ from, to, isSure }) => [from, to, isSure]);
  };
  const same = (value: (n: number) => unknown) =>
    pairs(
      (n) => ({ rank: value(n) }),
      (n) => ({ rank: value(n) }),
    );

  /** Each root has three copies. */
  const twelve = (value: (n: number) => unknown) => {
    const copies = [0, 10, 20].flatMap((more) =>
      nine.slice(0, 5).map((n) => post(n + more, { authorId: `a${n}`, rank: value(n) })),
    );
    const found = joined([...numbers.map((n) => author(n, { rank: value(n) })), ...copies]);
    return found && pairsOf(pulledTable, found).map(({ from, to, isSure }) => [from, to, isSure]);
  };

  test('are sure from three values on, or from two of a like name in many pairs', () => {
    expect(same((n) => `r${n}`)).toEqual([['rank', 'rank', true]]);
    expect(same((n) => n % 2)).toEqual([['rank', 'rank', false]]);
    expect(twelve((n) => n % 2)).toEqual([['rank', 'rank', true]]);
    expect(
      pairs(
        (n) => ({ rank: n }),
        (n) => ({ rank: n }),
        2,
      ),
    ).toEqual([['rank', 'rank', false]]);
    expect(same(() => 1)).toEqual([['rank', 'rank', false]]);
    expect(
      pairs(
        (n) => ({ rank: n % 2 }),
        (n) => ({ level: n % 2 }),
      ),
    ).toEqual([]);
    expect(
      pairs(
        (n) => ({ rank: n }),
        (n) => ({ level: n }),
      ),
    ).toEqual([['rank', 'level', true]]);
  });

  test('are equal in nine of ten pairs, of one type, and no part of a key', () => {
    expect(
      pairs(
        (n) => ({ rank: n }),
        (n) => ({ rank: n < 5 ? n : 0 }),
      ),
    ).toEqual([]);
    expect(
      pairs(
        (n) => ({ rank: n }),
        (n) => ({ rank: `${n}` }),
      ),
    ).toEqual([]);
    expect(
      pairs(
        (n) => ({ authorId: `a${n}` }),
        () => ({}),
      ),
    ).toEqual([]);
  });

  test('are not sure if most have one value, each for reasons of its own', () => {
    const many = Array.from({ length: 40 }, (_, n) => n);
    const status = (rare: readonly number[]) => (n: number) => (rare.includes(n) ? 'ENDED' : 'ACTIVE');
    const sure = (ofRoot: readonly number[], ofCopy: readonly number[]) => {
      const found = joined([
        ...many.map((n) => author(n, { status: status(ofRoot)(n) })),
        ...many.map((n) => post(n, { authorId: `a${n}`, status: status(ofCopy)(n) })),
      ]);
      return found && pairsOf(pulledTable, found).map(({ isSure }) => isSure);
    };

    expect(sure([1, 2, 3], [1, 4, 5])).toEqual([false]);
    expect(sure([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])).toEqual([true]);
  });

  test('of a root that the values alone say need be unlikely to be equal by chance', () => {
    const rows = (count: number) => {
      const some = nine.slice(0, count);
      return [
        ...some.map((n) => author(n, { rank: n % 3 })),
        ...some.map((n) => post(n, { writer: `a${n}`, rank: n % 3 })),
      ];
    };
    const sure = (count: number) => {
      const found = joined(rows(count));
      return found && pairsOf(pulledTable, found).map(({ isSure }) => isSure);
    };

    expect(sure(5)).toEqual([false]);
    expect(sure(9)).toEqual([true]);
  });
});

test('an attribute is found that holds what is not in the key of the root', () => {
  const { root, copy } = join([
    ...numbers.map((n) => author(n, { id: `id${n}` })),
    ...numbers.map((n) => post(n, { authorId: `id${n}` })),
  ]);

  expect(unusableName(root, copy)).toEqual({ from: 'id', to: 'authorId' });
  expect(unusableName(copy, root)).toBeUndefined();
});
