import { type ItemKey, sameKey } from './item.ts';
import { keyParts, type TableNames } from './table-names.ts';

/** The items of the worker's own: what is paused, and the beats that are on their way. */
const ownItems = ['PAUSES', 'HEARTBEAT'] as const;

type OwnItem = (typeof ownItems)[number];

const prefix = '~denorm#';

export const ownPartition = (name: OwnItem) => `${prefix}${name}`;

/** Undefined if the table's partition key is a number, of which none is free for sure. */
export function ownKey(table: TableNames, name: OwnItem): ItemKey | undefined {
  const { pk, sk } = keyParts(table);
  if (pk[0]?.type !== 'S') return undefined;
  return { pk: ownPartition(name), sk: sk[0] === undefined ? '' : sk[0].type === 'N' ? '0' : name };
}

/** Whether this is the key of one of them. */
export function isOwnItem(table: TableNames, key: ItemKey): boolean {
  if (!key.pk.startsWith(prefix)) return false;
  return ownItems.some((name) => {
    const own = ownKey(table, name);
    return own !== undefined && sameKey(own, key);
  });
}
