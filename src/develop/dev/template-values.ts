import { type CollectionTag, parse, type ScalarTag, type YAMLMap, type YAMLSeq } from 'yaml';
import * as z from 'zod';
import { longForms } from '../../deploy/cloudformation.ts';
import { isRecord } from './is-record.ts';

const named = z.record(z.string(), z.unknown());

const templateSchema = z.object({
  Parameters: z
    .record(z.string(), z.object({ Default: z.union([z.string(), z.number()]).optional() }))
    .default({}),
  Rules: named.default({}),
  Conditions: named.default({}),
  Globals: z.object({ Function: named.default({}) }).default({ Function: {} }),
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Metadata: z.unknown().optional(), Properties: named.default({}) }),
  ),
});

export type Template = z.infer<typeof templateSchema>;

/** A parameter's value as the template sees it. */
export type ParameterValue = string | number;

/**
 * Parses the template, with short tags (`!Ref`, `!Sub`, …) as the objects of their long forms.
 * @throws the error of `yaml` or zod for an invalid template
 */
export function parseTemplate(text: string): Template {
  return templateSchema.parse(parse(text, { customTags: shortTags() }));
}

/**
 * Evaluates everything that does not require a deployed stack: parameters, from their defaults or `values`;
 * conditions on them; `!If`, `!Sub`, `!Join`. A reference to a resource stays `{Ref}` or `{'Fn::GetAtt': [id,
 * attribute]}`.
 */
export function resolver(template: Template, values: ReadonlyMap<string, ParameterValue>) {
  const operands = (list: unknown): unknown[] => (Array.isArray(list) ? list.map(resolve) : []);

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((member) => member !== undefined);
    if (!isRecord(value)) return value;
    const [name = '', operand] = Object.entries(value)[0] ?? [];
    if (Object.keys(value).length === 1) {
      switch (name) {
        case 'Ref':
          return reference(operand);
        case 'Fn::If':
          return chosen(operand);
        case 'Fn::Sub':
          return substituted(operand);
        case 'Fn::Join':
          return joined(operand);
        case 'Fn::GetAtt':
          return { [name]: typeof operand === 'string' ? splitOnce(operand) : operand };
      }
    }
    const members = Object.entries(value).map(([key, member]) => [key, resolve(member)] as const);
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  function reference(operand: unknown): unknown {
    if (operand === 'AWS::NoValue') return undefined;
    return (typeof operand === 'string' ? values.get(operand) : undefined) ?? { Ref: operand };
  }

  function chosen(operand: unknown): unknown {
    const [condition, whenTrue, whenFalse] = Array.isArray(operand) ? operand : [];
    return resolve(holds({ Condition: condition }) ? whenTrue : whenFalse);
  }

  function substituted(operand: unknown): unknown {
    if (typeof operand !== 'string') return { 'Fn::Sub': operand };
    let known = true;
    const text = operand.replace(/\$\{([^!}][^}]*)\}/g, (whole, name: string) => {
      const value = values.get(name);
      if (value === undefined) known = false;
      return value === undefined ? whole : String(value);
    });
    return known ? text : { 'Fn::Sub': operand };
  }

  function joined(operand: unknown): unknown {
    const [separator, list] = Array.isArray(operand) ? operand : [];
    const parts = operands(list);
    const known = parts.every((part) => typeof part === 'string' || typeof part === 'number');
    return known && typeof separator === 'string' ? parts.join(separator) : { 'Fn::Join': operand };
  }

  function holds(expression: unknown): boolean {
    if (!isRecord(expression)) return false;
    const [name = '', operand] = Object.entries(expression)[0] ?? [];
    const list = Array.isArray(operand) ? operand : [operand];
    switch (name) {
      case 'Condition':
        return typeof operand === 'string' && holds(template.Conditions[operand]);
      case 'Fn::Equals': {
        const [a, b] = operands(operand);
        return String(a) === String(b) && !isRecord(a);
      }
      case 'Fn::Not':
        return !holds(list[0]);
      case 'Fn::And':
        return list.every(holds);
      case 'Fn::Or':
        return list.some(holds);
      default:
        return false;
    }
  }

  return { resolve, holds: (condition: string) => holds({ Condition: condition }) };
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('.');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Each short tag may precede a string, a list or a map. */
function shortTags(): (ScalarTag | CollectionTag)[] {
  return [...longForms].flatMap(([short, long]) => [
    { tag: `!${short}`, resolve: (text: string) => ({ [long]: text }) },
    {
      tag: `!${short}`,
      collection: 'seq' as const,
      resolve: (list: YAMLSeq | YAMLMap) => ({ [long]: list.toJSON() }),
    },
    {
      tag: `!${short}`,
      collection: 'map' as const,
      resolve: (map: YAMLSeq | YAMLMap) => ({ [long]: map.toJSON() }),
    },
  ]);
}
