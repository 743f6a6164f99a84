import { word } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import type { ArchivedItem } from '../../operate/archive/read-states.ts';
import { labelled } from '../output/table.ts';
import { styled } from '../output/terminal.ts';
import { keyJson, type NamedKey, namedKey } from '../output/text.ts';
import { stateId } from './selection.ts';

type Key = ArchivedItem['key'];

/** `INTELLIGENT_TIERING` is the longest storage class. A listing may be long: its lines are printed one by one. */
const widths = [20, 4, 19, 8, 12];

const names = ['archived', 'last', 'class', 'bytes', 'kind', 'key', 'id'];

export const stateHead = styled('bold', cells(names));

/** Whether a line of keys as they are common would not fit: then it has its labels, and needs no head. */
export function isNarrow(): boolean {
  return process.stdout.columns < 140;
}

/** A line of a batch is listed without its object, so its storage class is unknown. */
export function stateLine(table: KeyNames, { kind, key }: ArchivedItem, state: ArchivedState): string {
  const { archivedAt, final, storageClass = 'in a batch', bytes = '' } = state;
  const about = [
    timeText(archivedAt),
    final ? (isNarrow() ? 'yes' : 'last') : '',
    storageClass,
    bytes,
    word(kind),
  ];
  const texts = [...about, archivedKey(table, key), stateId(state)];
  return isNarrow() ? labelled(names, texts.map(String)) : cells(texts);
}

function cells(texts: readonly (string | number)[]): string {
  return texts
    .map((text, index) => {
      const width = widths[index] ?? 0;
      return typeof text === 'number' ? String(text).padStart(width) : text.padEnd(width);
    })
    .join('  ');
}

export function stateAsJson(table: KeyNames, { kind, key }: ArchivedItem, state: ArchivedState) {
  const { objectKey, versionId, line, final, archivedAt, sequence, digest, bytes, storageClass } = state;
  const about = { objectKey, versionId, line, sequence: sequence?.toString(), digest, bytes, storageClass };
  return {
    kind,
    key: keyOrNull(table, key),
    state: { id: stateId(state), last: final, archivedAt: new Date(archivedAt).toISOString(), ...about },
  };
}

export function keyOrNull(table: KeyNames, key: Key): NamedKey | null {
  return key === undefined ? null : namedKey(table, key);
}

export function archivedKey(table: KeyNames, key: Key): string {
  return key === undefined ? 'a key that only its object in Glacier contains' : keyJson(table, key);
}

export function archivedText({ archivedAt, final }: ArchivedState): string {
  return `archived ${timeText(archivedAt)}${final ? ', its last state' : ''}`;
}

export function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
