import type { Committed } from '../../src/develop/testing/table-model/model-table.ts';
import type { Item, ItemKey } from '../../src/model/item.ts';
import { keyText } from '../../src/model/item.ts';
import { table as names } from '../fixtures/model/table.ts';
import { type Way, ways } from './moorings.ts';

/** The end of a life, and what the item was last. */
export interface End {
  readonly sequence: bigint;
  readonly last: Item;
}

/** What became of one item, from its history. */
export interface WhatWas {
  readonly key: ItemKey;
  readonly way: Way;
  /** Ends of which the archive must hold the last state, in their order. */
  readonly ends: readonly End[];
  /** The states that may stand in the archive, one for each time that the item came to be so: expiring, or ended. */
  readonly states: readonly Item[];
  /** Whether something happened to it last that the archive does not mind. */
  readonly deletedLast: boolean;
  /** What stands in the table, if it is going to expire. */
  readonly present: Item | undefined;
}

/** What became of every archived item. After an erasing deletion, only what came after it counts. */
export function whatWas(history: readonly Committed[]): ReadonlyMap<string, WhatWas> {
  const byItem = new Map<string, Committed[]>();
  for (const change of history) {
    const item = keyText(change.key);
    const changes = byItem.get(item);
    if (changes === undefined) byItem.set(item, [change]);
    else changes.push(change);
  }
  return new Map([...byItem].flatMap(([item, changes]) => entryOf(item, changes)));
}

function entryOf(item: string, changes: readonly Committed[]): [string, WhatWas][] {
  const key = changes[0]?.key;
  const way = ways.find(({ kind }) => key !== undefined && kind.idsOf(key) !== undefined);
  if (key === undefined || way === undefined) return [];
  const erased = way.onDelete === 'erase' ? changes.findLastIndex(isDeletion) : -1;
  const since = changes.slice(erased + 1);
  const ends = since.flatMap(({ before, after, by, sequence }): End[] =>
    after === undefined && before !== undefined && (by === 'service' || way.onDelete === 'archive')
      ? [{ sequence, last: before }]
      : [],
  );
  const expiring = since.flatMap(({ after }) => (after?.[names.ttl] === undefined ? [] : [after]));
  const unexpiring = ends.flatMap(({ last }) => (last[names.ttl] === undefined ? [last] : []));
  const present = changes.at(-1)?.after;
  return [
    [
      item,
      {
        ...{ key, way, ends },
        states: [...expiring, ...unexpiring],
        deletedLast: changes.at(-1)?.sequence !== ends.at(-1)?.sequence,
        present: present?.[names.ttl] === undefined ? undefined : present,
      },
    ],
  ];
}

function isDeletion({ after, by }: Committed): boolean {
  return after === undefined && by === 'application';
}
