import { expiryOf, isTooOld } from '../../model/expiry.ts';
import { attribute, type Item, type KeyedItem, keyAsJson } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';

/** Later is a year after 5000, or milliseconds of one after 1973. */
const maxSeconds = 1e11;

/** Of items of a kind whose TTL attribute lets DynamoDB keep them, a message for each reason. */
export function unexpiring(table: TableNames, kind: AnyKind, own: readonly KeyedItem[]): string[] {
  const now = Date.now() / 1000;
  const found = own.flatMap(({ key, item }) => {
    const because = unexpiringBecause(table, item, now);
    return because === undefined ? [] : [{ key, ...because }];
  });
  return [...Map.groupBy(found, ({ is }) => is)].flatMap(([is, [first, ...others]]) => {
    if (first === undefined) return [];
    const where = `on ${others.length + 1} of ${own.length} items, such as ${keyAsJson(table, first.key)}`;
    return `Expected ${table.ttl} of ${kind.name}, the TTL attribute, to be a number in epoch seconds, found ${is} ${where}: ${first.correct}`;
  });
}

function unexpiringBecause(table: TableNames, item: Item, now: number) {
  const value = attribute(item, table.ttl);
  if (value === undefined) return undefined;
  const seconds = expiryOf(table, item);
  if (seconds === undefined)
    return {
      is: `another of type ${Object.keys(value)[0]}`,
      correct: 'correct the items, which neither expire nor are archived',
    };
  if (seconds > maxSeconds)
    return { is: 'milliseconds', correct: 'divide them by 1,000, as the items do not expire' };
  if (isTooOld(seconds, now))
    return {
      is: 'a time more than five years ago',
      correct: 'set a later one, as DynamoDB does not delete the items',
    };
  return undefined;
}
