import { describe, expect, test } from 'vitest';
import type { ApplicationItem } from '../../scripts/demo/application-table.ts';
import { Random } from '../../src/examples/random.ts';
import { pulledRules } from '../../src/pull/rules.ts';
import { chat, incidents, shop, tenants, votes } from '../fixtures/pull/applications.ts';
import { kindsOf, pulledTable } from '../fixtures/pull/pulled.ts';

function rules(items: readonly ApplicationItem[], type?: string) {
  const { sure, unsure, notes } = pulledRules(pulledTable, kindsOf(items, type));
  return {
    sure: sure.map(({ join, pairs, found }) => [
      ...[join.root.name, join.copy.name, found.in],
      pairs.map(({ to }) => to).join(),
    ]),
    unsure: unsure.map(({ join, because }) => [join.root.name, join.copy.name, because]),
    notes,
  };
}

const numbers = [1, 2, 3, 4, 5];
const user = (n: number) => ({ PK: `USER#${n}`, SK: 'USER', Type: 'User', name: `Name ${n}`, plan: `p${n}` });

describe('the rules that items leave no doubt of', () => {
  test('are those of the four applications, and of tenants by their names', () => {
    expect(rules(chat(), 'Type').sure).toEqual([['User', 'Membership', 'index', 'username']]);
    expect(rules(incidents()).sure).toEqual([
      ['Inc', 'Incpart', 'partition', 'CreatedAt,Number,State,Status,Title,UpdatedAt'],
    ]);
    expect(rules(shop(), 'Type').sure).toEqual([['Order', 'UserOrder', 'key', 'Status,Total']]);
    expect(rules(votes(), 'Type').sure).toEqual([]);
    expect(rules(tenants()).sure).toEqual([['Project', 'Task', 'partition', 'projectTitle']]);
  });

  test('are those of all of them in one table', () => {
    const all = [...chat(), ...incidents(), ...shop(), ...votes()];

    expect(rules(all, 'Type').sure.toSorted()).toEqual([
      ['Inc', 'Incpart', 'partition', 'CreatedAt,Number,State,Status,Title,UpdatedAt'],
      ['Order', 'UserOrder', 'key', 'Status,Total'],
      ['User', 'Membership', 'index', 'username'],
    ]);
  });

  test('never go round in a circle, and have one writer for each attribute', () => {
    const sort = (Type: string, next: string) =>
      numbers.map((n) => ({
        ...{ PK: `${Type.toUpperCase()}#${n}`, SK: 'X', Type, [`${next}Id`]: `${n}`, name: `Name ${n}` },
      }));
    const circle = [...sort('One', 'two'), ...sort('Two', 'three'), ...sort('Three', 'one')];

    expect(rules(circle, 'Type').sure).toHaveLength(2);
    const two = [...numbers.map(user), ...sort('One', 'user')];
    const both = sort('Two', 'user').map((item) => ({ ...item, oneId: item['userId'] }));
    expect(rules([...two, ...both], 'Type').sure.filter(([, copy]) => copy === 'Two').length).toBeLessThan(2);
  });
});

describe('a rule is only a comment', () => {
  test('if its values are too few', () => {
    const { sure, unsure } = rules(
      chat().filter(({ userId = '1' }) => userId === '1'),
      'Type',
    );

    expect(sure).toEqual([]);
    expect(unsure).toContainEqual(['User', 'Membership', 'it may be chance']);
  });

  test('if all that is equal is a time at which both were made', () => {
    expect(rules(incidents()).unsure).toEqual([['Inc', 'IncData', 'it may be chance']]);
  });

  test('if nothing finds the copies', () => {
    const posts = numbers.map((n) => ({
      PK: `POST#p${n}`,
      SK: 'POST',
      Type: 'Post',
      userId: `${n}`,
      name: `Name ${n}`,
    }));
    const more = posts.map((post) => ({ ...post, PK: `${post.PK}x` }));

    expect(rules([...numbers.map(user), ...posts, ...more], 'Type')).toMatchObject({
      sure: [],
      unsure: [['User', 'Post', 'nothing finds the copies']],
    });
  });

  test('if another kind may be the root, too', () => {
    const other = (Type: string) =>
      numbers.map((n) => ({ PK: `USER#${n}`, SK: Type.toUpperCase(), Type, userName: `Name ${n}`, more: n }));
    const posts = [...numbers, ...numbers].map((n, at) => ({
      ...{ PK: `USER#${n}`, SK: `POST#p${at}`, Type: 'Post', userName: `Name ${n}` },
    }));

    expect(rules([...other('Card'), ...other('Page'), ...posts], 'Type').sure).toEqual([]);
    expect(rules([...numbers.map(user), ...other('Card'), ...posts], 'Type').sure).toEqual([
      ['User', 'Post', 'partition', 'userName'],
    ]);
  });

  test('if either may be the root of the other', () => {
    const settings = numbers.map((n) => ({
      PK: `USER#${n}`,
      SK: 'SETTINGS',
      Type: 'Settings',
      name: `Name ${n}`,
    }));

    expect(rules([...numbers.map(user), ...settings], 'Type')).toMatchObject({
      sure: [],
      unsure: [['User', 'Settings', 'either may be the root of the other']],
    });
  });
});

test('an id that is not in the key of its root is said', () => {
  const comments = numbers.map((n) => ({
    PK: `COMMENT#c${n}`,
    SK: 'COMMENT',
    Type: 'Comment',
    userId: `id${n}`,
  }));
  const users = numbers.map((n) => ({ ...user(n), id: `id${n}` }));

  expect(rules([...users, ...comments], 'Type').notes).toEqual([
    'Comment.userId is id of User, which is not in the key of User: no rule can name User by it. Let Comment hold the ids of that key.',
  ]);
});

/** Kinds whose roots, statuses, ranks and names are their own, but for a copied name where `copied` says so. */
function unrelated(seed: number): {
  readonly items: readonly ApplicationItem[];
  readonly copied: ReadonlySet<string>;
} {
  const random = new Random(seed);
  const pick = (count: number) => random.int(0, Math.max(0, count - 1));
  const kinds: ApplicationItem[][] = [];
  const copied = new Set<string>();
  for (const [at, Type] of ['Apple', 'Berry', 'Cherry', 'Date'].entries()) {
    const of = at === 0 ? undefined : pick(at);
    const roots = of === undefined ? [] : (kinds[of] ?? []);
    const root = `${roots[0]?.Type}`;
    const [repeats, isBelow, share] = [random.chance(0.5), random.chance(0.3), (1 + random.next()) / 2];
    if (repeats && of !== undefined) copied.add(`${root} ${Type}`);
    const items = Array.from({ length: [1, 2, 5, 10, 40, 100][pick(6)] ?? 1 }, (_, n) => {
      const parent = roots[pick(roots.length)];
      return {
        ...{
          PK: isBelow && parent ? parent.PK : `${Type.toUpperCase()}#${n}`,
          SK: isBelow ? `${Type.toUpperCase()}#${n}` : 'ROW',
        },
        ...{
          Type,
          status: random.chance(share) ? 'ACTIVE' : 'ENDED',
          count: pick(3),
          day: `2026-01-${10 + pick(20)}`,
        },
        ...{ name: `${Type}-${n}`, rank: pick(1 + pick(50)) },
        ...(parent && {
          [`${root.toLowerCase()}Id`]: `${parent.PK}`.split('#')[1],
          GSI1PK: parent.PK,
          GSI1SK: `${n}`,
        }),
        ...(parent && repeats && { [`${root.toLowerCase()}Name`]: parent['name'] }),
      };
    });
    kinds.push(items);
  }
  return { items: kinds.flat(), copied };
}

test('nothing is proposed as sure that no application keeps equal, in five hundred random tables', () => {
  let right = 0;
  for (let seed = 1; seed <= 500; seed += 1) {
    const { items, copied } = unrelated(seed);
    for (const [root, copy, , attributes] of rules(items, 'Type').sure) {
      expect([...copied], `seed ${seed}: ${attributes}`).toContain(`${root} ${copy}`);
      expect(attributes, `seed ${seed}`).toBe(`${root?.toLowerCase()}Name`);
      right += 1;
    }
  }
  expect(right).toBeGreaterThan(100);
});
