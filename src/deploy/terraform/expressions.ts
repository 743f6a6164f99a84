import { functionOf, isProperties, type Properties, type Value } from '../cloudformation.ts';

/** What stands in a file of Terraform's JSON syntax. A text is a template: `${…}` in it is an expression. */
export type Json = string | number | boolean | null | readonly Json[] | Expression | JsonObject;
type JsonObject = { readonly [name: string]: Json };

/** An expression, which JSON has as a template of nothing else. */
export class Expression {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return `\${${this.text}}`;
  }
}

export type Written = (value: Value) => Json;

const pseudo: Readonly<Record<string, string>> = {
  'AWS::NoValue': 'null',
  'AWS::Region': 'data.aws_region.current.id',
  'AWS::AccountId': 'data.aws_caller_identity.current.account_id',
  'AWS::Partition': 'data.aws_partition.current.partition',
  'AWS::URLSuffix': 'data.aws_partition.current.dns_suffix',
  'AWS::StackName': 'var.StackName',
};

/**
 * Writes values of CloudFormation for Terraform.
 * @param names the expression for what a `Ref` names, or for an attribute of a resource: `aws_sqs_queue.FanOutQueue.arn`
 */
export function writer(names: (name: string, attribute?: string) => string): Written {
  function written(value: Value): Json {
    if (typeof value === 'string') return value.replaceAll('${', '$${').replaceAll('%{', '%%{');
    if (typeof value === 'number' || typeof value === 'boolean') return value;
    if (!isProperties(value)) return value?.map(written) ?? null;
    const [name, operand] = functionOf(value) ?? [];
    if (name === undefined) return eachMember(value, written);
    const [first, second, third] = Array.isArray(operand) ? operand : [operand];
    if (name === 'If' && first === 'MakesTable') return written(third);
    if (name === 'Sub') return template(String(first), isProperties(second) ? second : {});
    return new Expression(called(name, [operand].flat()));
  }

  function called(name: string, operands: readonly Value[]): string {
    const [first, second, third] = operands;
    const each = () => operands.map((one) => `(${textOf(written(one))})`);
    switch (name) {
      case 'Ref':
        return nameOf(String(first));
      case 'GetAtt':
        return names(String(first), String(second));
      case 'If':
        return `local.${first} ? ${textOf(written(second))} : ${textOf(written(third))}`;
      case 'Equals':
        return each().join(' == ');
      case 'Not':
        return `!${each()}`;
      case 'And':
        return each().join(' && ');
      case 'Or':
        return each().join(' || ');
      case 'ToJsonString':
        return `jsonencode${each()}`;
      case 'Select':
        // The part of the stack's id that tells the stack from others: the name of a module does so.
        return 'var.StackName';
      default:
        throw new Error(`Expected a function that Terraform has too, got ${name}`);
    }
  }

  /** @param own values of names that only this text has */
  function template(text: string, own: Properties): string {
    return text.replace(/\$\{([^}]+)\}/g, (_, name: string) => {
      const [id = '', attribute] = name.split('.');
      if (own[id] !== undefined) return `\${${textOf(written(own[id]))}}`;
      return `\${${attribute === undefined ? nameOf(id) : names(id, attribute)}}`;
    });
  }

  const nameOf = (name: string) => pseudo[name] ?? names(name);

  return written;
}

/** A value within an expression. */
function textOf(value: Json): string {
  if (value instanceof Expression) return value.text;
  if (Array.isArray(value)) return `[${value.map(textOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)} = ${textOf(one)}`)
    .join(', ')}}`;
}

/** Writes the members that have a value. */
export function eachMember(value: Properties, write: Written): Readonly<Record<string, Json>> {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, write(member)]));
}
