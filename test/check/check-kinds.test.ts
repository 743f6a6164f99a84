import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkKinds } from '../../src/check/check-kinds.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineArchive } from '../../src/model/rules/archive-rule.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import { loadRules } from '../fixtures/application/load-rules.ts';
import { bound, boundKind } from '../fixtures/model/bound.ts';
import { table } from '../fixtures/model/table.ts';
import { agingRules } from '../fixtures/world/aging.ts';
import { registryOf } from '../fixtures/world/world.ts';

function kind(name: string, sk: string, type?: string, pk = 'POST#{post}') {
  return defineKind({ name, pk, sk, ...(type !== undefined && { type }), attributes: z.object({}) });
}

function findings(...kinds: ReturnType<typeof kind>[]) {
  const archives = kinds.map((one, index) => defineArchive({ name: `a-${index}`, kinds: [one] }));
  return checkKinds({
    ...makeRegistry(table, []),
    archives: archives.map((one) => bound(one)),
    kinds: kinds.map(boundKind),
  }).map(({ message }) => message);
}

describe('two kinds', () => {
  test('of these projects are told apart', () => {
    expect(checkKinds(loadRules())).toEqual([]);
    expect(checkKinds(registryOf(...agingRules))).toEqual([]);
  });

  test('are found if the keys of one fit the other, by a last id of any text', () => {
    const says =
      "Expected keys of Draft not to be keys of Post, got 'POST#postA' and 'V#versionA#DRAFT', which fit both: give both a type, or text of their own in their key patterns";

    expect(findings(kind('Post', 'V#{version}'), kind('Draft', 'V#{version}#DRAFT'))).toEqual([says]);
    expect(findings(kind('Draft', 'V#{version}#DRAFT'), kind('Post', 'V#{version}'))).toEqual([says]);
  });

  test.each([
    ['neither has a type', undefined, undefined, 1],
    ['one has a type: an item without one is of both', 'Post', undefined, 1],
    ['both have the same type', 'Post', 'Post', 1],
    ['their types differ', 'Post', 'Draft', 0],
  ])('of one key pattern are found if %s', (_, type, other, count) => {
    expect(findings(kind('Post', 'META', type), kind('Draft', 'META', other))).toHaveLength(count);
  });

  test('are told apart by text in their keys', () => {
    expect(findings(kind('Post', 'POST'), kind('Comment', 'COMMENT#{comment}'))).toEqual([]);
  });

  test('are found if the project only lists one', () => {
    const post = defineRule({
      ...{ name: 'post', root: kind('Blog', 'BLOG'), copy: kind('Post', '{part}'), copies: 'all' },
      ...{ located: { in: 'partition', at: () => ({ pk: 'POST#1' }) }, onDelete: 'delete', onExpire: 'keep' },
      rootOf: () => undefined,
    });
    const registry = makeRegistry(table, [post], [], [], [], [kind('Comment', 'COMMENT#{comment}')]);

    expect(checkKinds(registry).map(({ message }) => message)).toContain(
      "Expected keys of Comment not to be keys of Post, got 'POST#postA' and 'COMMENT#commentA', which fit both and are taken for Comment: give both a type, or text of their own in their key patterns",
    );
  });

  test('of one name are found', () => {
    expect(findings(kind('Post', 'POST'), kind('Post', 'OTHER'))).toEqual([
      'Expected each kind to have a name of its own, got two called Post: rename one of them',
    ]);
  });
});

test.each([
  [z.number(), 0],
  [z.number().optional(), 0],
  [z.iso.datetime(), 1],
  [z.preprocess((value) => Object(value).toIsoString(), z.string()), 1],
])('a kind whose schema gives the TTL attribute another type than a number is found', (EndsAt, count) => {
  const order = defineKind({ name: 'Order', pk: 'T#{id}', sk: 'T', attributes: z.object({ EndsAt }) });
  const says =
    'Expected EndsAt of Order, the TTL attribute, to be a number in epoch seconds, got a schema that refuses one: correct the schema';

  expect(findings(order as unknown as ReturnType<typeof kind>)).toEqual(Array(count).fill(says));
});
