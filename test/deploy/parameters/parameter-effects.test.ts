import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import shipped from '../../../denorm.config.ts';
import { refuseFilteringParameters } from '../../../src/deploy/stack-template.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { bare } from '../../fixtures/model/rules.ts';
import { table } from '../../fixtures/model/table.ts';

const kind = (name: string, pk: string) =>
  defineKind({ name, pk, sk: 'x', attributes: z.object({ Name: z.string() }) });
const rule = (prefix: string, onDelete: 'keep' | 'delete' = 'keep') =>
  bare({
    name: 'a-rule',
    root: kind('Root', `${prefix}#{root}`),
    copy: kind('Copy', 'COPY#{copy}'),
    copies: ['Name'],
    onDelete,
  });

describe('a parameter that changes what a template says once is refused', () => {
  test('if the keys of a kind depend on it', () => {
    const parameters = { Prefix: z.string().default('SHOP') };
    const config = defineConfig({ table, parameters, rules: ({ Prefix }) => [rule(Prefix)] });

    expect(() => refuseFilteringParameters(config)).toThrow(/the parameter Prefix to leave keys, indexes/);
  });

  test('if a policy depends on one of its choices', () => {
    const parameters = { OnDelete: z.enum(['keep', 'delete']).default('keep') };
    const config = defineConfig({ table, parameters, rules: ({ OnDelete }) => [rule('SHOP', OnDelete)] });

    expect(() => refuseFilteringParameters(config)).toThrow(/the parameter OnDelete/);
  });
});

test('parameters that only functions of rules use are fine', () => {
  expect(() => refuseFilteringParameters(shipped)).not.toThrow();
});
