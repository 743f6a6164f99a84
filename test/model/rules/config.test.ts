import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { environmentName } from '../../../src/model/rules/parameters.ts';
import { bare, kind } from '../../fixtures/model/rules.ts';
import { table } from '../../fixtures/model/table.ts';
import { refusal } from '../../suites/refusal.ts';

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
  test('gives its rules other values, and reads text as its schemas ask', () => {
    const parameters = { Shards: '4', Prefix: '7', Loud: 'true' };

    expect(names(configOf().registry({ parameters }))).toEqual(['rule-4-7-true']);
  });

  test.each([
    ['an unknown parameter', { Shard: 1 }, /parameter of denorm.config.ts \(.*\), got 'Shard'/],
    ['a value out of range', { Shards: 10 }, /parameter Shards that its schema accepts.*<=9/],
    ['text that is no number', { Shards: 'four' }, /parameter Shards that its schema accepts/],
    ['empty text for a number', { Shards: '' }, /parameter Shards that its schema accepts/],
  ])('refuses %s', (_, parameters, why) => {
    expect(() => configOf().registry({ parameters })).toThrow(why);
  });

  const of = 'of denorm.config.ts to be';
  const one = rule('one');
  const element = (nth: number, list: string, define: string, got = 'an object') =>
    `element ${nth} of ${list} ${of} what ${define} returns, got ${got}`;

  test.each<[string, object, string]>([
    ['a function that returns nothing', { rules: () => undefined }, `rules ${of} a list, got none: add it`],
    ['an asynchronous one', { rules: async () => [] }, `rules ${of} a list, got a Promise: correct it`],
    ['one that returns a rule', { rules: () => one }, `rules ${of} a list, got an object: correct it`],
    ['no rule', { rules: [one, undefined] }, element(2, 'rules', 'defineRule', 'none')],
    ['an object for a rule', { rules: () => [{ name: 'one' }] }, element(1, 'rules', 'defineRule')],
    ['rules as archives', { archives: [one] }, element(1, 'archives', 'defineArchive')],
    ['rules as aggregates', { aggregates: [one] }, element(1, 'aggregates', 'defineAggregate')],
  ])('refuses %s', (_, lists, message) => {
    const error = refusal(() => defineConfig({ table, rules: [], ...lists } as never).registry());

    expect(error.code).toBe('field.invalid');
    expect(error.message).toContain(`Expected ${message}`);
  });

  test('names a function of its own that throws', () => {
    const throwing = () => {
      throw new TypeError('x is not a function');
    };

    expect(() => defineConfig({ table, rules: throwing }).registry()).toThrow(
      'Expected the function rules of denorm.config.ts to return a list, but it threw TypeError: x is not a function: correct it',
    );
    expect(() => defineConfig({ table, rules: [], archives: throwing }).registry()).toThrow(
      /the function archives of denorm\.config\.ts/,
    );
  });

  test('asks for a value without a default', () => {
    const config = defineConfig({ table, parameters: { Shards: z.int() }, rules: [] });

    expect(() => config.registry()).toThrow(/Shards, which has no default: .*--parameter Shards=/);
  });

  test.each(['g1', 'by owner', 'é'.repeat(3)])('refuses an index called %s, as DynamoDB does', (name) => {
    const indexes = { one: { name, pk: 'OnePk' } };

    expect(() => defineConfig({ table: { ...table, indexes }, rules: [] })).toThrow(
      `3 to 255 letters, digits, _, - and ., as DynamoDB requires, got '${name}'`,
    );
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
