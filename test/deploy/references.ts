import * as z from 'zod';
import { functionOf, isProperties, type Properties } from '../../src/deploy/cloudformation.ts';

/** Names that CloudFormation and SAM give: pseudo parameters, and the mappings that SAM makes of a function's events. */
const given = /^AWS::|Stream$/;

/** References of a stack to nothing, and parameters and conditions that nothing uses. */
export function looseEnds(stack: Properties): readonly string[] {
  const used = new Set(namesIn(stack));
  const keysOf = (section: string) => Object.keys(stack[section] ?? {});
  const toUse = [...keysOf('Parameters'), ...keysOf('Conditions')];
  const there = [...toUse, ...keysOf('Resources')];
  return [
    ...[...used].filter((name) => !there.includes(name) && !given.test(name)).map((name) => `no ${name}`),
    ...toUse.filter((name) => !used.has(name)).map((name) => `unused ${name}`),
    ...groupedParameters(stack)
      .filter((name) => !there.includes(name))
      .map((name) => `grouped ${name}`),
  ];
}

/** The names of parameters, conditions and resources to which a value refers. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isProperties(value)) return [];
  const { Condition } = value;
  return [
    ...(typeof Condition === 'string' ? [Condition] : []),
    ...namesOfFunction(value),
    ...Object.values(value).flatMap(namesIn),
  ];
}

function namesOfFunction(value: Properties): string[] {
  const [name, operand] = functionOf(value) ?? [];
  const [first = ''] = [operand].flat();
  if (typeof first !== 'string') return [];
  if (name === 'Sub')
    return [...first.matchAll(/\$\{([^.}!]+)/g)].flatMap(([, one = '']) => (one === 'Id' ? [] : [one]));
  return name === 'Ref' || name === 'GetAtt' || name === 'If' ? [first] : [];
}

function groupedParameters({ Metadata }: Properties): string[] {
  const groups = z.array(z.object({ Parameters: z.array(z.string()) }));
  const schema = z.object({ 'AWS::CloudFormation::Interface': z.object({ ParameterGroups: groups }) });
  return schema
    .parse(Metadata)
    ['AWS::CloudFormation::Interface'].ParameterGroups.flatMap(({ Parameters }) => Parameters);
}
