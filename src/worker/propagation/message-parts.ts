import {
  type CopyLocation,
  distinctKeys,
  distinctLocations,
  isListed,
  listedKeys,
} from '../../model/copy-location.ts';
import { type ItemKey, keyText } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';

/** SQS accepts 1 MiB, for one message and for a batch of ten. */
const maxMessageBytes = 100_000;

/** Its locations list no other keys: what they say of a copy does not depend on the others. */
export function naming({ cursor: _, at: __, ...message }: Message, copies: readonly ItemKey[]): Message {
  const { locations } = message;
  return { ...message, copies: [...copies], ...(locations && { locations: listing(locations, copies) }) };
}

/** The last location stays, even if it lists none of the keys: the root has left the others. */
function listing(locations: readonly CopyLocation[], keys: readonly ItemKey[]): CopyLocation[] {
  const kept = new Set(keys.map(keyText));
  const last = locations.at(-1);
  const some = locations.flatMap((location): CopyLocation[] => {
    if (!isListed(location)) return [location];
    const keys = listedKeys(location).filter((key) => kept.has(keyText(key)));
    if (keys.length === 0 && location !== last) return [];
    return [location.in === 'keys' ? { in: 'keys', keys } : location];
  });
  return distinctLocations(some);
}

/**
 * Messages that the queue accepts. One that is too large is halved: first its copies, or the keys that its locations list; then
 * the locations that the root has left. Each half begins at its first location.
 */
export function partsOf(message: Message): readonly Message[] {
  if (Buffer.byteLength(JSON.stringify(message)) <= maxMessageBytes) return [message];
  const { locations = [] } = message;
  const listed = locations.every(isListed) ? locations.flatMap(listedKeys) : [];
  const copies = message.copies ?? distinctKeys(listed);
  if (copies.length > 1) return halves(copies).flatMap((half) => partsOf(naming(message, half)));
  if (locations.length < 3) return [message];
  const { cursor: _, at: __, ...whole } = message;
  return halves(locations.slice(0, -1)).flatMap((left) =>
    partsOf({ ...whole, locations: [...left, ...locations.slice(-1)] }),
  );
}

function halves<Entry>(list: readonly Entry[]): readonly (readonly Entry[])[] {
  const middle = Math.ceil(list.length / 2);
  return [list.slice(0, middle), list.slice(middle)];
}
