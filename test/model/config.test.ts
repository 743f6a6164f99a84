import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineConfig, environmentName } from '../../src/model/config.ts';
import { bare, kind } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';

const rule = (name: string) => bare({ name, root: kind('Root'), copy: kind(name), copies: ['Name'] });

/** A config whose rules show the values of its parameters. */
function configOf() {
  return defineConfig({
    table,
    parameters: {
      Shards: z.int().min(1).max(9).default(1),
      Prefix: z.string().default('x'),
      Loud: z.boolean().default(false),
    },
    rules: ({ Shards, Prefix, Loud }) => [rule(`rule-${Shards}-${Prefix}-${Loud}`), rule('other')],
    disabled: ['other'],
  });
}

const names = ({ rules }: { readonly rules: readonly { readonly name: string }[] }) =>
  rules.map(({ name }) => name);

describe('a config', () => {
  test('gives its rules the defaults of its parameters', () => {
    expect(names(configOf().registry())).toEqual(['rule-1-x-false']);
  });

  test('gives its rules other values, and reads text as its schemas ask', () => {
    const parameters = { Shards: '4', Prefix: '7', Loud: 'true' };

    expect(names(configOf().registry({ parameters }))).toEqual(['rule-4-7-true']);
  });

  test('switches off what a deployment says instead of what it says itself', () => {
    expect(names(configOf().registry({ disabled: [] }))).toEqual(['rule-1-x-false', 'other']);
  });

  test('takes rules that depend on nothing as a list', () => {
    expect(names(defineConfig({ table, rules: [rule('one')] }).registry())).toEqual(['one']);
  });

  test.each([
    [
      'an unknown parameter',
      { Shard: 1 },
      /parameter of denorm.config.ts \(Shards, Prefix, Loud\), got 'Shard'/,
    ],
    ['a value out of range', { Shards: 10 }, /parameter Shards that its schema accepts.*<=9/],
    ['text that is no number', { Shards: 'four' }, /parameter Shards that its schema accepts/],
    ['empty text for a number', { Shards: '' }, /parameter Shards that its schema accepts/],
  ])('refuses %s', (_, parameters, why) => {
    expect(() => configOf().registry({ parameters })).toThrow(why);
  });

  test('asks for a value without a default', () => {
    const config = defineConfig({ table, parameters: { Shards: z.int() }, rules: [] });

    expect(() => config.registry()).toThrow(/Shards, which has no default: .*--parameter Shards=/);
  });

  test('refuses the name of a parameter that CloudFormation would not take', () => {
    expect(() => defineConfig({ table, parameters: { status_shards: z.int() }, rules: [] })).toThrow(
      /PascalCase, such as 'StatusShards', got 'status_shards'/,
    );
  });
});

test.each([
  ['StatusShards', 'STATUS_SHARDS'],
  ['X', 'X'],
  ['UseS3Bucket', 'USE_S3_BUCKET'],
  ['HTTPPort', 'HTTP_PORT'],
])('the parameter %s is the variable %s of a function', (parameter, variable) => {
  expect(environmentName(parameter)).toBe(variable);
});
