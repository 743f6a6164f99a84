import { word } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import type { ArchivedItem } from '../../operate/archive/read-states.ts';
import { tableOf } from '../output/table.ts';
import { keyJson, type NamedKey, namedKey, timeText } from '../output/text.ts';
import { stateId } from './selection.ts';

type Key = ArchivedItem['key'];

/** `INTELLIGENT_TIERING` is the longest storage class. */
const widths = [24, 4, 19, 8, 12];

export const stateNames = ['archived', 'last', 'class', 'bytes', 'kind', 'key', 'id'];

/** A line of a batch is listed without its object, so its storage class is unknown. */
export function stateCells(
  table: KeyNames,
  { kind, key }: ArchivedItem,
  state: ArchivedState,
): readonly string[] {
  const { archivedAt, final, storageClass = 'in a batch', bytes = '' } = state;
  const about = [timeText(archivedAt), final ? 'last' : '', storageClass, String(bytes), word(kind)];
  return [...about, archivedKey(table, key), stateId(state)];
}

/** For a terminal. A state is chosen by its time, too: the key is whole before its id is there. */
export function stateTable(rows: readonly (readonly string[])[]): string {
  return tableOf(stateNames, rows, ['class', 'bytes', 'last', 'kind', 'id']);
}

/** For a pipe, which gets each line once it is known. */
export function stateLine(cells: readonly string[]): string {
  return cells.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ');
}

export function stateAsJson(table: KeyNames, { kind, key }: ArchivedItem, state: ArchivedState) {
  const { objectKey, versionId, line, final, archivedAt, sequence, digest, bytes, storageClass } = state;
  const about = { objectKey, versionId, line, sequence: sequence?.toString(), digest, bytes, storageClass };
  return {
    kind,
    key: keyOrNull(table, key),
    state: { id: stateId(state), last: final, archivedAt: timeText(archivedAt), ...about },
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
