import { word } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import type { ItemStatus } from '../../operate/archive/item-status.ts';
import type { ArchivedItem } from '../../operate/archive/read-states.ts';
import { tableOf } from '../output/table.ts';
import { keyJson, type NamedKey, namedKey, timeText } from '../output/text.ts';
import { stateId } from './selection.ts';

type Key = ArchivedItem['key'];

export type Listed = ArchivedItem & { readonly status?: ItemStatus };

/** `INTELLIGENT_TIERING` is the longest storage class. */
const widths = [24, 8, 24, 4, 19, 8, 12];

export const stateNames = ['archived', 'status', 'expires', 'last', 'class', 'bytes', 'kind', 'key', 'id'];

/** The newest state has the item's status. A line of a batch is listed without its object, so its storage class is unknown. */
export function stateCells(
  table: KeyNames,
  { kind, key, states, status }: Listed,
  state: ArchivedState,
): readonly string[] {
  const { archivedAt, final, storageClass = 'in a batch', bytes = '' } = state;
  const { is = '', expiresAt } = (state === states.at(-1) && status) || {};
  const expires = expiresAt === undefined ? '' : timeText(expiresAt);
  const about = [
    timeText(archivedAt),
    is,
    expires,
    final ? 'last' : '',
    storageClass,
    String(bytes),
    word(kind),
  ];
  return [...about, archivedKey(table, key), stateId(state)];
}

/** For a terminal. A state is chosen by its time, too: the key is whole before its id is there. */
export function stateTable(rows: readonly (readonly string[])[]): string {
  return tableOf(stateNames, rows, ['class', 'bytes', 'last', 'expires', 'kind', 'id']);
}

/** For a pipe, which gets each line once it is known. */
export function stateLine(cells: readonly string[], hasStatus: boolean): string {
  const padded = cells.map((text, index) => text.padEnd(widths[index] ?? 0));
  return (hasStatus ? padded : padded.toSpliced(1, 2)).join('  ');
}

export function stateAsJson(table: KeyNames, { kind, key, status }: Listed, state: ArchivedState) {
  const { objectKey, versionId, line, final, archivedAt, sequence, digest, bytes, storageClass } = state;
  const about = { objectKey, versionId, line, sequence: sequence?.toString(), digest, bytes, storageClass };
  return {
    kind,
    key: keyOrNull(table, key),
    state: { id: stateId(state), last: final, archivedAt: timeText(archivedAt), ...about },
    ...(status && {
      status: {
        is: status.is,
        expiresAt: timeOrNone(status.expiresAt),
        restoredAt: timeOrNone(status.restoredAt),
      },
    }),
  };
}

function timeOrNone(at: number | undefined): string | undefined {
  return at === undefined ? undefined : timeText(at);
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
