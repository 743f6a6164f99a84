import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkTenants } from '../../src/check/check-rules.ts';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import type { Rule } from '../../src/model/rules/rule.ts';
import { bare } from '../fixtures/model/rules.ts';
import { registryOf } from '../fixtures/world/world.ts';

const user = defineKind({ name: 'User', pk: 'ORG#{org}', sk: 'USER#{user}', attributes: z.object({}) });
const page = defineKind({
  name: 'Page',
  pk: 'ORG#{org}',
  sk: 'PAGE#{page}',
  attributes: z.object({ Org: z.string(), Writer: z.string() }),
});

type RootOf = (copy: {
  readonly ids: { org: string };
  Org: string;
  Writer: string;
}) => ReturnType<Rule['rootOf']>;

function found(rootOf: RootOf, change: Partial<Rule> = {}) {
  const rule = bare({
    ...{ name: 'writer-on-pages', root: user, copy: page, copies: ['Name'] },
    ...{ reads: { root: [], copy: ['Org', 'Writer'] }, rootOf: rootOf as unknown as Rule['rootOf'] },
    ...change,
  });
  return checkTenants(registryOf(rule));
}

const ofAttribute: RootOf = ({ Org, Writer }) => user.key({ org: Org, user: Writer });

describe('a rule without tenant', () => {
  test('is found if a copy names the tenant of its root by an attribute', () => {
    expect(found(ofAttribute)).toEqual([
      {
        ...{ about: 'rules', subject: 'writer-on-pages' },
        message:
          "Expected rootOf of rule writer-on-pages to take the org from the copy's key, got it from an attribute, by which whoever writes a copy chooses any root: set tenant: 'org', or, if a copy and its root may have different ones, give the id of one key another name",
      },
    ]);
  });

  test('is right if the tenant comes from the key, or the keys have none in common', () => {
    expect(found(({ ids, Writer }) => user.key({ org: ids.org, user: Writer }))).toEqual([]);
    const elsewhere = defineKind({ name: 'Page', pk: 'P#{page}', sk: 'P', attributes: page.attributes });
    expect(found(ofAttribute, { copy: elsewhere })).toEqual([]);
  });
});

test('a rule with tenant is right', () => {
  expect(found(ofAttribute, { tenant: 'org' })).toEqual([]);
});
