import { escaped } from '../model/basics/text.ts';

/** A value in the long form of CloudFormation, such as `{Ref: id}`. Writers leave out what is undefined. */
export type Value = string | number | boolean | undefined | readonly Value[] | Properties;

/** The comments on members of {@link Properties}, for a format that has comments. Others do not see a symbol. */
export const comments = Symbol('comments');

export interface Properties {
  readonly [name: string]: Value;
  readonly [comments]?: Readonly<Record<string, string>>;
}

export type Resource = {
  readonly Type: string;
  readonly Condition?: string | undefined;
  readonly DeletionPolicy?: 'Retain' | 'RetainExceptOnCreate';
  readonly UpdateReplacePolicy?: 'Retain';
  readonly Metadata?: Properties;
  readonly Properties: Properties;
};

export type Resources = Readonly<Record<string, Resource>>;

export const ref = (name: string): Properties => ({ Ref: name });
export const getAtt = (id: string, attribute: string): Properties => ({ 'Fn::GetAtt': [id, attribute] });
export const arnOf = (id: string): Properties => getAtt(id, 'Arn');
export const sub = (text: string): Properties => ({ 'Fn::Sub': text });
export const toJson = (value: Value): Properties => ({ 'Fn::ToJsonString': value });
export const equals = (a: Value, b: Value): Properties => ({ 'Fn::Equals': [a, b] });
export const not = (condition: Properties): Properties => ({ 'Fn::Not': [condition] });
export const and = (...conditions: Properties[]): Properties => ({ 'Fn::And': conditions });
export const or = (...conditions: Properties[]): Properties => ({ 'Fn::Or': conditions });

const noValue = ref('AWS::NoValue');

/** One value or another, or none, by a condition of the template. */
export const when = (condition: string, value: Value, otherwise: Value = noValue): Properties => ({
  'Fn::If': [condition, value, otherwise],
});

/** The functions of CloudFormation whose long form is `Fn::…`; their short form is a tag, such as `!GetAtt`. */
const functionNames = [
  ...['Base64', 'Cidr', 'FindInMap', 'GetAtt', 'GetAZs', 'If', 'ImportValue', 'Join', 'Select', 'Split'],
  ...['Sub', 'And', 'Equals', 'Not', 'Or', 'Transform', 'Length', 'ToJsonString'],
];
export const longForms: ReadonlyMap<string, string> = new Map([
  ...['Ref', 'Condition'].map((name) => [name, name] as const),
  ...functionNames.map((name) => [name, `Fn::${name}`] as const),
]);

/** A function of CloudFormation in its long form: its short name and its operand; undefined for other values. */
export function functionOf(value: Properties): readonly [name: string, operand: Value] | undefined {
  const [[long, operand] = ['', undefined], ...others] = Object.entries(value);
  const short = long.replace(/^Fn::/, '');
  return others.length === 0 && longForms.get(short) === long ? [short, operand] : undefined;
}

export function isProperties(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a map of its own, and no function. */
export function isMap(value: Value): value is Properties {
  return isProperties(value) && functionOf(value) === undefined;
}

/** The members of a map, and those of a list; none of another value. */
export const membersOf = (value: Value): Properties => (isProperties(value) ? value : {});
export const listOf = (value: unknown): readonly Value[] => (Array.isArray(value) ? value : []);

/** JSON on one line, with a space after each comma and colon, and no character that YAML takes for a line break. */
export function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (!isProperties(value))
    return JSON.stringify(value).replace(/[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
  const members = Object.entries(value).map(([name, member]) => `${oneLine(name)}: ${oneLine(member)}`);
  return `{${members.join(', ')}}`;
}
