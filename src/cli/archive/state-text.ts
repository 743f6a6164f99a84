import { type AttributeValue, base64, canonicalNumber } from '../../model/attribute-value.ts';
import { attribute, type Item } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { ArchivedItem } from '../../operate/archive/read-states.ts';
import type { ArchivedState } from '../../worker/archive/archived-state.ts';
import { styled } from '../output/terminal.ts';
import { keyJson, keyAsJson as tableKeyAsJson } from '../output/text.ts';
import { word } from '../output/visible.ts';
import { stateId } from './selection.ts';

type Key = ArchivedItem['key'];

/** The table head for {@link itemLine} and {@link stateLine}. */
export const itemHead = styled(
  'bold',
  itemRow('archived', 'states', 'last', 'class', 'bytes', 'kind', 'key'),
);
export const stateHead = styled('bold', stateRow('archived', 'last', 'class', 'bytes', 'kind', 'key  id'));

/** Formats an item as one line: its newest state, the number of states, and the number of last states. */
export function itemLine({ kind, key, states }: ArchivedItem): string {
  const newest = states.at(-1);
  const last = states.filter(({ final }) => final).length;
  return itemRow(
    newest === undefined ? '' : timeText(newest.archivedAt),
    String(states.length),
    String(last),
    classText(newest),
    String(newest?.bytes ?? ''),
    kind,
    keyText(key),
  );
}

export function stateLine({ kind, key }: ArchivedItem, state: ArchivedState): string {
  return stateRow(
    timeText(state.archivedAt),
    state.final ? 'last' : '',
    classText(state),
    String(state.bytes ?? ''),
    kind,
    `${keyText(key)}  ${stateId(state)}`,
  );
}

/** Formats an item as one line of JSON. */
export function itemAsJson({ kind, key, states }: ArchivedItem): string {
  const newest = states.at(-1);
  return JSON.stringify({
    kind,
    key: keyAsJson(key),
    states: states.length,
    lastStates: states.filter(({ final }) => final).length,
    newest: newest && stateAsJson(newest),
  });
}

/** The metadata of a state. A state that was only listed has no sequence number and no digest. */
export function stateAsJson(state: ArchivedState) {
  const { objectKey, versionId, line, final, archivedAt, sequence, digest, bytes, storageClass } = state;
  return {
    id: stateId(state),
    last: final,
    archivedAt: new Date(archivedAt).toISOString(),
    ...{ objectKey, versionId, line, sequence: sequence?.toString(), digest, bytes, storageClass },
  };
}

/** A key as an object with the table's key names. Null if the key is known only from a body in Glacier. */
export function keyAsJson(key: Key): Readonly<Record<string, string>> | null {
  return key === undefined ? null : tableKeyAsJson(key);
}

export function keyText(key: Key): string {
  return key === undefined ? 'a key that only its object in Glacier contains' : keyJson(key);
}

/** Formats a time to the second, in UTC. */
export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A line of a batch is listed without its object, so its storage class is unknown. */
function classText(state: ArchivedState | undefined): string {
  return state?.storageClass ?? 'in a batch';
}

function itemRow(
  archived: string,
  states: string,
  last: string,
  ...rest: readonly [string, string, string, string]
): string {
  return `${archived.padEnd(20)}  ${states.padStart(6)}  ${last.padStart(4)}  ${restOf(...rest)}`;
}

function stateRow(
  archived: string,
  last: string,
  ...rest: readonly [string, string, string, string]
): string {
  return `${archived.padEnd(20)}  ${last.padEnd(4)}  ${restOf(...rest)}`;
}

/** `INTELLIGENT_TIERING` is the longest storage class. */
function restOf(storageClass: string, bytes: string, kind: string, key: string): string {
  return `${storageClass.padEnd(19)}  ${bytes.padStart(8)}  ${word(kind).padEnd(12)}  ${key}`;
}

/**
 * Formats an item as plain JSON for people: keys first, then the other attributes by name, with sets as lists
 * and binary values as base64. Numbers keep all their digits, so a reader of this JSON must not round numbers
 * of more than 17 digits.
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

/** Keeps the original spelling of a number if it is valid JSON. */
function numberText(text: string): string {
  return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : canonicalNumber(text);
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function deeper(indent: string): string {
  return `${indent}  `;
}
