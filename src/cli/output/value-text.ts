import { type AttributeValue, base64 } from '../../model/attribute-value.ts';

/** Nobody reads more of a value on a terminal, in characters. */
const longest = 80;

/** An attribute's value for people, shortened where it is long: text quoted, binary as base64. Item content. */
export function valueText(value: AttributeValue | undefined): string {
  if (value === undefined) return 'missing';
  const text = textOf(value);
  return text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`;
}

function textOf(value: AttributeValue): string {
  if ('S' in value) return JSON.stringify(value.S);
  if ('N' in value) return value.N;
  if ('B' in value) return `binary ${base64(value.B)}`;
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('SS' in value) return `set of ${value.SS.map((member) => JSON.stringify(member)).join(', ')}`;
  if ('NS' in value) return `set of ${value.NS.join(', ')}`;
  if ('BS' in value) return `set of binary ${value.BS.map(base64).join(', ')}`;
  if ('L' in value) return `[${value.L.map(textOf).join(', ')}]`;
  const members = Object.entries(value.M).map(
    ([name, member]) => `${JSON.stringify(name)}: ${textOf(member)}`,
  );
  return `{${members.join(', ')}}`;
}
