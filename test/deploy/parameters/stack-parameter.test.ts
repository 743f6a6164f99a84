import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { allowedValue, stackParameter } from '../../../src/deploy/parameters/stack-parameter.ts';
import { projectStack, stackText } from '../../../src/deploy/stack-template.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { parameterValues } from '../../../src/model/rules/parameters.ts';
import { blog } from '../configs.ts';

const flags = { Type: 'String', AllowedValues: ['true', 'false'] };

/** A schema, and what the stack accepts for it. */
const schemas = {
  Whole: [z.int().min(1).max(100).default(1), { Type: 'Number', Default: 1, MinValue: 1, MaxValue: 100 }],
  AnyWhole: [z.int().default(-7), { Type: 'Number', Default: -7 }],
  Positive: [z.int().positive().lt(10).default(4), { Type: 'Number', Default: 4, MinValue: 1, MaxValue: 9 }],
  AboveHalf: [z.int().gt(0.5).lt(9.5).default(1), { Type: 'Number', Default: 1, MinValue: 1, MaxValue: 9 }],
  FromHalf: [z.int().min(0.5).max(9.5).default(1), { Type: 'Number', Default: 1, MinValue: 1, MaxValue: 9 }],
  Share: [z.number().gt(0).max(1).default(0.5), { Type: 'Number', Default: 0.5, MinValue: 0, MaxValue: 1 }],
  Coerced: [z.coerce.number().default(3), { Type: 'Number', Default: 3 }],
  Flag: [z.boolean().default(false), { ...flags, Default: 'false' }],
  Name: [
    z.string().min(2).max(5).default('abc'),
    { Type: 'String', Default: 'abc', MinLength: 2, MaxLength: 5 },
  ],
  Empty: [z.string().default(''), { Type: 'String', Default: '' }],
  Anchored: [
    z
      .string()
      .regex(/^a\d+$/)
      .default('a1'),
    { Type: 'String', Default: 'a1', AllowedPattern: '^a\\d+$' },
  ],
  Somewhere: [
    z.string().regex(/\d|x/).default('a1b'),
    { Type: 'String', Default: 'a1b', AllowedPattern: '[\\s\\S]*(?:\\d|x)[\\s\\S]*' },
  ],
  Dollar: [
    z.string().regex(/^a\$/).default('a$b'),
    { Type: 'String', Default: 'a$b', AllowedPattern: '[\\s\\S]*(?:^a\\$)[\\s\\S]*' },
  ],
  AnyCase: [
    z
      .string()
      .regex(/^[a-z]+$/i)
      .default('Abc'),
    { Type: 'String', Default: 'Abc' },
  ],
  Choice: [z.enum(['a', 'b']).default('a'), { Type: 'String', Default: 'a', AllowedValues: ['a', 'b'] }],
  Numbers: [z.literal([1, 2]).default(1), { Type: 'Number', Default: 1, AllowedValues: [1, 2] }],
  One: [z.literal('x').default('x'), { Type: 'String', Default: 'x', AllowedValues: ['x'] }],
  Either: [
    z.union([z.literal('a'), z.literal('b')]).default('b'),
    { Type: 'String', Default: 'b', AllowedValues: ['a', 'b'] },
  ],
  Transformed: [z.string().transform(Number).prefault('5'), { Type: 'String', Default: '5' }],
  Described: [
    z.string().default('s').describe('What it is for: a test'),
    { Type: 'String', Default: 's', Description: 'What it is for: a test' },
  ],
} as const satisfies Record<string, readonly [z.ZodType, object]>;

describe('a parameter of the stack', () => {
  test.each(Object.entries(schemas))(
    '%s is as exact as CloudFormation can say it',
    (name, [schema, parameter]) => {
      expect(stackParameter(name, schema)).toEqual(parameter);
    },
  );

  test.each(Object.entries(schemas))(
    '%s gives a function, as text, the default of the schema',
    (name, [schema]) => {
      const { Default } = stackParameter(name, schema);

      expect(parameterValues({ [name]: schema }, { [name]: String(Default) })).toEqual(
        parameterValues({ [name]: schema }, {}),
      );
    },
  );

  test.each([
    ...[
      /^a|b$/,
      /^a$|b/,
      /a|^b$/,
      /^(a|b)$/,
      /^$|^a+$/,
      /^[(|]$|^\)$/,
      /^a\|b$/,
      /^((a)|(b|c))+$/,
      /a$/,
      /^a/,
    ],
    ...[/^a\$/, /^a\\$/, /^[a$]/, /[a|^]$/],
  ])('with the pattern %s takes what its schema takes, and no other text', (pattern) => {
    const { AllowedPattern = '' } = stackParameter('Name', z.string().regex(pattern));
    // CloudFormation matches the whole value.
    const taken = new RegExp(`^(?:${AllowedPattern})$`);

    for (const text of [
      ...['', 'a', 'b', 'ab', 'ba', 'xa', 'ax', 'bx', 'abc', '|', '(', ')', 'a|b', 'a$', 'a$x', 'a\\'],
      ...['^'],
    ])
      expect(taken.test(text), text).toBe(pattern.test(text));
  });

  test('without a default has none, so that a deployment must give a value', () => {
    expect(stackParameter('Tier', z.enum(['a', 'b']))).toEqual({ Type: 'String', AllowedValues: ['a', 'b'] });
  });

  test.each([
    ['an object', z.object({ a: z.string() })],
    ['a list', z.array(z.string()).default([])],
    ['a date', z.date()],
    ['null', z.string().nullable().default(null)],
    ['mixed types', z.union([z.string(), z.number()])],
  ])('is refused if its schema is of %s', (_, schema) => {
    expect(() => stackParameter('Tier', schema)).toThrow(
      expect.objectContaining({
        code: 'config.parameter',
        message: expect.stringMatching(/^Expected the schema of the parameter Tier to be of a text/),
      }),
    );
  });

  test.each([
    ['optional', z.string().optional()],
    ['transformed before its default', z.string().transform(Number).default(5)],
  ])('is refused if it is %s: a stack could not show its default', (_, schema) => {
    expect(() => stackParameter('Tier', schema)).toThrow(
      /^Expected the parameter Tier to have a default that a deployment can show/,
    );
  });
});

describe('the parameters of a template', () => {
  const withParameters = (parameters: Record<string, z.ZodType>) =>
    projectStack({
      config: {
        ...defineConfig({ table: blog.table, rules: [], parameters }),
        registry: (settings) => blog.registry({ ...settings, parameters: {} }),
      },
    });

  test('are read by YAML 1.1 and 1.2 as they are meant', () => {
    const odd = [
      ...['no', '012', '12:30', '1e3', '~', '# not a comment', 'a: b', ' x', "it's", 'ünï ☃', '{a}'],
      ...['[a', '- a', '*a', '&a', '!a', '%a', '@a', '`a', '"a"', 'a #b', 'true', '1_000', '=', '<<'],
      ...['a\tb', '\\n'],
    ];
    const parameters = Object.fromEntries(
      odd.map((text, index) => [`P${index}`, z.literal(text).default(text).describe(text)]),
    );
    const text = stackText(withParameters({ ...parameters, No: z.string().default('on') }), '1.2.3');
    for (const version of ['1.1', '1.2'] as const) {
      const { Parameters } = z
        .object({ Parameters: z.record(z.string(), z.unknown()) })
        .parse(parse(text, { version, logLevel: 'silent' }));
      for (const [index, value] of odd.entries())
        expect(Parameters[`P${index}`], version).toEqual({
          Type: 'String',
          Default: value,
          AllowedValues: [value],
          Description: value,
        });
      expect(Parameters['No'], version).toEqual({ Type: 'String', Default: 'on' });
    }
  });

  test.each([
    ['a parameter of the stack', 'PageLimit', /that the stack does not have itself, got 'PageLimit'/],
    ['a parameter of a function that the project does not have', 'SweepReadUnits', /got 'SweepReadUnits'/],
    ['a variable of the stack', 'TableName', /would get 'TableName' as TABLE_NAME, which has another use/],
    ['a variable of Lambda', 'AwsRegion', /as AWS_REGION, which has another use/],
    ['a variable of Node', 'NodeOptions', /as NODE_OPTIONS, which has another use/],
  ])('must not take the name of %s', (_, name, said) => {
    expect(() => withParameters({ [name]: z.string().default('x') })).toThrow(said);
  });

  test('must have a variable each', () => {
    const parameters = { AppTier: z.string().default('x'), APPTier: z.string().default('x') };

    expect(() => withParameters(parameters)).toThrow(/as APP_TIER, which has another use/);
  });
});

describe('a value', () => {
  const number = { Type: 'Number', Default: 5, MinValue: 1, MaxValue: 10 } as const;
  const text = { Type: 'String', MinLength: 2, AllowedPattern: '[a-z]*' } as const;
  const choice = { Type: 'String', AllowedValues: ['true', 'false'] } as const;

  test.each([
    ['of a number', number, '7', 7],
    ['of a number, by default', number, undefined, 5],
    ['of a text', text, 'abc', 'abc'],
    ['of a choice', choice, true, 'true'],
  ])('%s is what CloudFormation would take it for', (_, parameter, given, taken) => {
    expect(allowedValue('Some', parameter, given)).toBe(taken);
  });

  test.each([
    ['below a number', number, 0, "Expected the parameter Some to be a number from 1 to 10, got '0'"],
    ['that is no number', number, 'x', "a number from 1 to 10, got 'x'"],
    ['that is empty', number, '', "a number from 1 to 10, got ''"],
    ['that is too short', text, 'a', "a text of 2 to Infinity characters like [a-z]*, got 'a'"],
    ['of which a part matches', text, 'abC', "like [a-z]*, got 'abC'"],
    ['that is no choice', choice, 'yes', "true, false, got 'yes'"],
    ['that nobody gave', text, undefined, 'got none, and it has no default'],
    ['of which is said what it is', { ...choice, ConstraintDescription: 'a flag' }, 1, "a flag, got '1'"],
  ])('%s is refused', (_, parameter, given, said) => {
    expect(() => allowedValue('Some', parameter, given)).toThrow(said);
  });
});
