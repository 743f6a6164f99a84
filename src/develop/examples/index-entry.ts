import { conditionsOf, type QueriedRange } from '../../model/copy-location.ts';
import { plainNumber } from '../../model/decimal.ts';
import { type Item, partValue } from '../../model/item.ts';
import { type KeyNames, keyParts } from '../../model/table-names.ts';

/** Key attributes of an entry of an index in this range. @param own what tells it from others there */
export function entryIn(index: KeyNames, range: QueriedRange, own: string): Item {
  const { equal } = conditionsOf(index, range);
  const { begins = '', from, to } = range;
  const [next, ...others] = keyParts(index).all.slice(equal.length);
  const limit = from ?? to;
  const texts = [
    ...equal.map(({ part, text }) => [part, text] as const),
    ...(next === undefined ? [] : [[next, limit ?? `${begins}${own}`] as const]),
    ...others.map((part) => [part, own] as const),
  ];
  return Object.fromEntries(
    texts.map(([part, text]) => [
      part.name,
      partValue(part, part.type === 'N' ? (plainNumber(text) ?? '1') : text),
    ]),
  );
}
