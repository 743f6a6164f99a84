import { describe, expect, test } from 'vitest';
import { defineArchive } from '../../../src/model/rules/archive-rule.ts';
import { makeRegistry, registryOfOne } from '../../../src/model/rules/registry.ts';
import { bare, kind } from '../../fixtures/model/rules.ts';
import { table } from '../../fixtures/model/table.ts';

const one = bare({ name: 'one', copies: ['Name'] });
const two = bare({ name: 'two', copies: ['Label'] });
const archive = defineArchive({ name: 'old-things', kinds: [kind('Root')] });

describe('a registry', () => {
  test.each([
    ['two rules', [one, { ...two, name: 'one' }], []],
    ['two archive rules', [], [archive, { ...archive, kinds: [kind('Other')] }]],
    ['a rule and an archive rule', [{ ...one, name: 'old-things' }], [archive]],
  ])('refuses %s of one name, even if it is disabled', (_, rules, archives) => {
    const name = rules[0]?.name ?? 'old-things';
    for (const disabled of [[], [name]])
      expect(() => makeRegistry(table, rules, archives, disabled)).toThrow(
        expect.objectContaining({
          code: 'rule.twice',
          rule: name,
          message: `Rule ${name} is listed twice: give one of the two another name`,
        }),
      );
  });

  test('refuses a disabled name that no rule has, and lists the rules', () => {
    expect(() => makeRegistry(table, [one, two], [archive], ['oen'])).toThrow(
      expect.objectContaining({
        code: 'rule.unknown',
        message: "Expected each disabled rule to be one of one, two, old-things, got 'oen'",
      }),
    );
    expect(() => makeRegistry(table, [one, two], [], ['old-things'])).toThrow(
      expect.objectContaining({ code: 'rule.unknown' }),
    );
  });
});

test('the registry of one rule has no other, and the archive rules that it is given', () => {
  const [rule] = makeRegistry(table, [one, two], [archive]).rules;
  const alone = rule && registryOfOne(rule);

  expect(alone).toMatchObject({ rules: [{ name: 'one' }], archives: [], aggregates: [] });
  expect(alone?.rule('two')).toBeUndefined();
  expect(rule && registryOfOne(rule, [archive]).archives).toMatchObject([{ name: 'old-things' }]);
});
