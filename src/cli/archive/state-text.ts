import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import type { ArchivedItem } from '../../operate/archive/read-states.ts';
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
