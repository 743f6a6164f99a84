import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rulesDigest } from '../../src/cli/rules-digest.ts';
import type { BoundAggregate } from '../../src/model/rules/bound-rule.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { sum } from '../../src/model/rules/reducers.ts';
import { makeRegistry, type Registry } from '../../src/model/rules/registry.ts';
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

  test('is that of the definitions, whatever a version of the worker computes from them', () => {
    const computed = { locating: ['Other'], compared: { root: [], copy: ['Other'] } };
    const aggregate = bound(sumOfAmounts);
    const others = {
      rules: [{ ...bound(rule), ...computed }],
      aggregates: [
        { ...aggregate, compared: ['Other'], ledger: { ...ledgerOf(aggregate), heads: aggregate } },
      ],
    };

    expect(digestOf(others)).toBe(digestOf({ rules: [bound(rule)], aggregates: [aggregate] }));
  });
});

const sumOfAmounts = defineAggregate({
  name: 'an-aggregate',
  of: kind('Member', z.object({ Amount: z.number() })),
  on: kind('Target', z.object({ Amount: z.number() })),
  members: [],
  targetsOf: () => [],
  computes: { Amount: sum('Amount') },
  ledger: true,
});

function ledgerOf({ ledger }: BoundAggregate): NonNullable<BoundAggregate['ledger']> {
  if (ledger === undefined) throw new Error('Expected a ledger');
  return ledger;
}

function digest(one: Rule, settings = ''): string {
  return digestOf({ rules: [bound(one)] }, settings);
}

function digestOf(definitions: Partial<Registry>, settings = ''): string {
  return rulesDigest({ ...makeRegistry(table, []), ...definitions }, settings);
}
