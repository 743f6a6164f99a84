import { type AttributeValue, base64, canonicalNumber } from '../../model/attribute-value.ts';
import { attribute, type Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';

/**
 * An item as plain JSON, for people: its keys first, then the other attributes by their names; text is text, a set is a
 * list, binary is base64. A number stands there with all its digits, as JSON allows: beyond 17 of them, whoever parses it
 * must not round it.
 */
export function plainJson(item: Item, { pk, sk }: Pick<TableNames, 'pk' | 'sk'>): string {
  const others = Object.keys(item).filter((name) => name !== pk && name !== sk);
  const ordered = [pk, sk, ...others.sort()].flatMap((name) => {
    const value = attribute(item, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return mapText(ordered, '');
}

function valueText(value: AttributeValue, indent: string): string {
  if ('S' in value) return JSON.stringify(value.S);
  if ('N' in value) return numberText(value.N);
  if ('B' in value) return JSON.stringify(base64(value.B));
  if ('BOOL' in value) return String(value.BOOL);
  if ('NULL' in value) return 'null';
  if ('SS' in value) return listText([...value.SS].map(quoted), indent);
  if ('NS' in value) return listText(value.NS.map(numberText), indent);
  if ('BS' in value) return listText(value.BS.map(base64).map(quoted), indent);
  if ('L' in value)
    return listText(
      value.L.map((member) => valueText(member, deeper(indent))),
      indent,
    );
  return mapText(Object.entries(value.M), indent);
}

function mapText(map: readonly (readonly [string, AttributeValue])[], indent: string): string {
  const members = map.map(([name, member]) => `${quoted(name)}: ${valueText(member, deeper(indent))}`);
  return enclosed('{', members, '}', indent);
}

function listText(members: readonly string[], indent: string): string {
  return enclosed('[', members, ']', indent);
}

function enclosed(open: string, members: readonly string[], close: string, indent: string): string {
  if (members.length === 0) return open + close;
  const inner = deeper(indent);
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`;
}

/** As it was spelt, where JSON spells numbers so. */
function numberText(text: string): string {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : canonicalNumber(text);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function deeper(indent: string): string {
  return `${indent}  `;
}
