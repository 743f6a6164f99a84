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
  test('gives its rules other values, and reads text as its schemas ask', () => {
    const parameters = { Shards: '4', Prefix: '7', Loud: 'true' };

    expect(names(configOf().registry({ parameters }))).toEqual(['rule-4-7-true']);
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

  test.each<[string, unknown, string]>([
    ['a function that returns nothing', () => undefined, 'got undefined'],
    ['a function that is asynchronous', async () => [], 'got a Promise'],
    ['a function that returns a rule', () => rule('one'), 'got an object'],
    ['a rule that is undefined', [rule('one'), undefined], 'got undefined at position 2'],
    ['what defineRule did not return', () => [{ name: 'one' }], 'got an object at position 1'],
  ])('refuses %s as its rules', (_, rules, got) => {
    expect(() => defineConfig({ table, rules: rules as never }).registry()).toThrow(
      expect.objectContaining({
        code: 'config.rules',
        message: `Expected rules of denorm.config.ts to be a list of what defineRule returns, ${got}: correct the list and its imports`,
      }),
    );
  });

  test('refuses propagation rules as archives', () => {
    expect(() => defineConfig({ table, rules: [], archives: [rule('one')] as never }).registry()).toThrow(
      'Expected archives of denorm.config.ts to be a list of what defineArchive returns, got an object at position 1',
    );
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

  test.each<[string, object, string, string]>([
    [
      'a misspelt field',
      { stage: {} },
      'config.unknown-field',
      "a field of denorm.config.ts, got 'stage': did you mean 'stages'?",
    ],
    [
      'a table that is undefined',
      { table: undefined },
      'config.invalid-field',
      'table of denorm.config.ts to be an object, got none: check its import',
    ],
    [
      'a table without a sort key',
      { table: { ...table, sk: undefined } },
      'config.invalid-field',
      'sk of the table of denorm.config.ts to be text, got none: add it',
    ],
    [
      'an index without a sort key',
      { table: { ...table, indexes: { ByOwner: { name: 'ByOwner', pk: 'OwnerPart' } } } },
      'config.invalid-field',
      "indexes of the table of denorm.config.ts to be { name, pk, sk } for each index, and projection: 'ALL' if it holds whole items, got an object for ByOwner: correct it",
    ],
    [
      'an index with another projection than ALL',
      { table: { ...table, indexes: { ByOwner: { ...table.indexes.ByOwner, projection: 'KEYS_ONLY' } } } },
      'config.invalid-field',
      "indexes of the table of denorm.config.ts to be { name, pk, sk } for each index, and projection: 'ALL' if it holds whole items, got an object for ByOwner: correct it",
    ],
    [
      'a misspelt field of a stage',
      { stages: { prod: { stak: 'x' } } },
      'config.unknown-field',
      "a field of the stage prod of denorm.config.ts, got 'stak': did you mean 'stack'?",
    ],
    [
      'rules that are undefined',
      { rules: undefined },
      'config.invalid-field',
      'rules of denorm.config.ts to be a list, or a function that returns one, got none: check its import',
    ],
    [
      'a parameter without a schema',
      { parameters: { Shards: 4 } },
      'config.invalid-field',
      'parameters of denorm.config.ts to be a zod schema for each name, got 4 for Shards: correct it',
    ],
  ])('refuses %s, where types were not checked', (_, change, code, message) => {
    const spec = Object.fromEntries(
      Object.entries({ table, rules: [], ...change }).filter(([, value]) => value !== undefined),
    );

    expect(() => defineConfig(spec as never)).toThrow(
      expect.objectContaining({ code, message: `Expected ${message}` }),
    );
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
