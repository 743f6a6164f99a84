import { describe, expect, test } from 'vitest';
import type { ApplicationItem } from '../../scripts/demo/application-table.ts';
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
    expect(rules([...two, ...both], 'Type').sure.filter(([, copy]) => copy === 'Two')).toHaveLength(1);
  });
});

describe('a rule is only a comment', () => {
  test('if its values are too few', () => {
    const { sure, unsure } = rules(
      chat().filter(({ userId = '1' }) => userId === '1'),
      'Type',
    );

    expect(sure).toEqual([]);
    expect(unsure).toContainEqual(['User', 'Membership', 'too few values to tell']);
  });

  test('if all that is equal is a time at which both were made', () => {
    expect(rules(incidents()).unsure).toEqual([['Inc', 'IncData', 'too few values to tell']]);
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
