import { describe, expect, test } from 'vitest';
import { rulesDigest } from '../../src/cli/rules-digest.ts';
import { makeRegistry } from '../../src/model/rules/registry.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { bound } from '../fixtures/model/bound.ts';
import { bare, kind } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';

const rule = bare({ name: 'a-rule', root: kind('Root'), copy: kind('Copy'), copies: ['Name'] });

describe('the digest of rules', () => {
  test('is the same for the same rules', () => {
    expect(digest(rule)).toBe(digest({ ...rule }));
  });

  test.each<[string, Partial<Rule>]>([
    ['what they copy', { copies: ['Name', 'Title'] }],
    ['what they derive', { derive: { Title: ({ root }) => String(root['Name']) } }],
    ['where copies stand', { located: { in: 'partition', at: () => ({ pk: 'another' }) } }],
    ['a kind', { copy: kind('Another') }],
  ])('is different if they differ in %s', (_, other) => {
    expect(digest({ ...rule, ...other })).not.toBe(digest(rule));
  });

  test('is different if they were loaded with other settings', () => {
    expect(digest(rule, 'shards 2')).not.toBe(digest(rule, 'shards 1'));
  });
});

function digest(one: Rule, settings = ''): string {
  return rulesDigest({ ...makeRegistry(table, []), rules: [bound(one)] }, settings);
}
