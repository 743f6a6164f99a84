import type { Relation } from '../../../src/develop/testing/simulation/oracle/relation.ts';
import type { Item } from '../../../src/model/item.ts';
import { isContent, pkOf, skOf, textOf } from './attributes.ts';

/** A board stands on the pins of its shelf that name it. */
export const pins: Relation = {
  rule: 'board-on-pins',
  onDelete: 'clear',
  onExpire: 'delete',
  isRoot: ({ pk }) => /^B./s.test(pk),
  isCopy: (item) => /^PIN./s.test(pkOf(item)) && textOf(item, 'Type') === 'Pin',
  crosses: (root, copy) => pkOf(copy).slice('PIN'.length) !== root.pk.slice('B'.length),
  rootOf(copy) {
    const org = textOf(copy, 'BoardOrg');
    const board = textOf(copy, 'Board');
    return org === undefined || board === undefined ? undefined : { pk: `B${org}`, sk: board };
  },
  locations(root, copy) {
    if (isClosed(root)) return false;
    return textOf(root, 'Shelf') === undefined ? undefined : isOnShelf(root, copy);
  },
  isExcluded: isClosed,
  excludes: (root, copy) => isClosed(root) && isOnShelf(root, copy),
  wanted(root, copy) {
    if (pins.crosses({ pk: pkOf(root), sk: skOf(root) }, copy)) return undefined;
    const wanted = new Map(Object.entries(root).filter(([name]) => pins.writes(name)));
    return signsIn({ ...copy, ...Object.fromEntries(wanted) }) > 400 * 1024 ? undefined : wanted;
  },
  writes: (attribute) => isContent(attribute) && !['Board', 'BoardOrg', 'Note', 'Type'].includes(attribute),
  concerns: (attribute) => attribute !== 'Note',
};

function isClosed({ Closed }: Item): boolean {
  return Closed !== undefined && 'BOOL' in Closed && Closed.BOOL;
}

function isOnShelf(root: Item, copy: Item): boolean {
  const shelf = textOf(root, 'Shelf');
  return (
    shelf !== undefined &&
    textOf(copy, 'GSI2PK') === `SHELF#${shelf}` &&
    (textOf(copy, 'GSI2SK') ?? '').startsWith('PIN#')
  );
}

/** The length of all texts of an item: where there are long ones, the rest is little beside them. */
function signsIn(item: Item): number {
  return Object.values(item).reduce((sum, value) => sum + ('S' in value ? value.S.length : 0), 0);
}
