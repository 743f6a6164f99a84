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

/** `INTELLIGENT_TIERING` is the longest storage class. A listing may be long: its lines are printed one by one. */
const widths = [20, 6, 4, 19, 8, 12];

/** The heads of {@link itemLine} and {@link stateLine}. */
export const itemHead = head('archived', 'states', 'last', 'class', 'bytes', 'kind', 'key');
export const stateHead = head('archived', '', 'last', 'class', 'bytes', 'kind', 'key  id');

/** Formats an item as one line: its newest state, the number of states, and the number of last states. */
export function itemLine({ kind, key, states }: ArchivedItem): string {
  const last = states.filter(({ final }) => final).length;
  return row([states.length, last], states.at(-1), kind, keyText(key));
}

export function stateLine({ kind, key }: ArchivedItem, state: ArchivedState): string {
  return row(['', state.final ? 'last' : ''], state, kind, `${keyText(key)}  ${stateId(state)}`);
}

/** A line of a batch is listed without its object, so its storage class is unknown. */
function row(
  counts: readonly (string | number)[],
  state: ArchivedState | undefined,
  kind: string,
  end: string,
): string {
  const at = state === undefined ? '' : timeText(state.archivedAt);
  return cells([at, ...counts, state?.storageClass ?? 'in a batch', state?.bytes ?? '', word(kind), end]);
}

function head(...names: readonly string[]): string {
  return styled('bold', cells(names));
}

function cells(texts: readonly (string | number)[]): string {
  return texts
    .map((text, index) => {
      const width = widths[index] ?? 0;
      return typeof text === 'number' ? String(text).padStart(width) : text.padEnd(width);
    })
    .join('  ');
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

/**
 * Formats an item as plain JSON for people: keys first, then the other attributes by name, with sets as lists
 * and binary values as base64. Numbers keep all their digits, so a reader of this JSON must not round numbers
 * of more than 17 digits.
 */
export function plainJson(item: Item, { pk, sk }: Pick<TableNames, 'pk' | 'sk'>): string {
  const others = Object.keys(item).filter((name) => name !== pk && name !== sk);
  const ordered = [pk, sk, ...others.sort()].flatMap((name) => {
    const value = attribute(item, name);
    return value === undefined ? [] : [[name, plain(value)] as const];
  });
  return JSON.stringify(Object.fromEntries(ordered), null, 2);
}

declare global {
  interface JSON {
    /** A number that is written as this text. Node has it; TypeScript's library does not list it yet. */
    rawJSON(text: string): object;
  }
}

function plain(value: AttributeValue): unknown {
  if ('N' in value) return plainNumber(value.N);
  if ('B' in value) return base64(value.B);
  if ('NULL' in value) return null;
  if ('NS' in value) return value.NS.map(plainNumber);
  if ('BS' in value) return value.BS.map(base64);
  if ('L' in value) return value.L.map(plain);
  if ('M' in value)
    return Object.fromEntries(Object.entries(value.M).map(([name, member]) => [name, plain(member)]));
  return 'SS' in value ? [...value.SS] : 'S' in value ? value.S : value.BOOL;
}

/** Keeps the original spelling of a number if it is valid JSON. */
function plainNumber(text: string): object {
  const isJson = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text);
  return JSON.rawJSON(isJson ? text : canonicalNumber(text));
}
