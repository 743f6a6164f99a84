import { expect, test } from 'vitest';
import { and, equals, getAtt, not, or, ref, sub, when } from '../../src/deploy/cloudformation.ts';
import { evaluator } from '../../src/deploy/evaluator.ts';

test('values are resolved as far as the parameters allow, and the rest is unchanged', () => {
  const conditions = {
    HasName: not(equals(ref('Name'), '')),
    HasBoth: and({ Condition: 'HasName' }, not(equals(ref('Empty'), ''))),
    HasOne: or({ Condition: 'HasBoth' }, { Condition: 'HasName' }),
  };
  const values = new Map(Object.entries({ Name: 'app', Empty: '' }));
  const { resolve, holds } = evaluator(conditions, values);

  expect(
    resolve({
      sub: sub(`table-\${Name}`),
      unknownSub: sub(`\${AWS::Region}-\${Name}`),
      join: { 'Fn::Join': ['-', ['a', ref('Name')]] },
      ...{ both: when('HasBoth', 1, 2), one: when('HasOne', 1, 2) },
      att: getAtt('Table', 'StreamArn'),
      list: [when('HasBoth', 'x'), 'y'],
      none: when('HasBoth', 'x'),
    }),
  ).toEqual({
    sub: 'table-app',
    unknownSub: sub(`\${AWS::Region}-\${Name}`),
    join: 'a-app',
    ...{ both: 2, one: 1 },
    att: getAtt('Table', 'StreamArn'),
    list: ['y'],
  });
  expect([holds('HasName'), holds('HasBoth'), holds('Missing')]).toEqual([true, false, false]);
});
