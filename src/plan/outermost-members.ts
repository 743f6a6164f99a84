import { isInLocation, ordersOf } from '../model/items/copy-location.ts';
import type { Item } from '../model/items/item.ts';
import { indexParts, keyParts } from '../model/items/table-names.ts';
import { endOf } from '../model/rules/aggregate.ts';
import type { Totals } from './totals.ts';

/**
 * The members at an end of a location, while its items are read from there: as many as the aggregate says, passing over items
 * that are no members. An index has an order of its own for equal sort keys, so all of those are looked at.
 */
export class OutermostMembers {
  private readonly totals: Totals;
  private readonly location: Totals['locations'][number];
  private readonly orders: ReturnType<typeof ordersOf>;
  private readonly most: number;
  /** What tells members, and is read of them: nothing else of an item is held. */
  private readonly names: ReadonlySet<string>;
  /** Outermost first. */
  found: readonly Item[] = [];
  private looked = 0;
  private isPast = false;

  /** @returns undefined if all members count */
  static of(totals: Totals): OutermostMembers | undefined {
    const end = endOf(totals.rule);
    const [location] = totals.locations;
    return end && location && new OutermostMembers(totals, location, end.most);
  }

  private constructor(totals: Totals, location: Totals['locations'][number], most: number) {
    this.totals = totals;
    this.location = location;
    this.most = most;
    const { table, reads } = totals.rule;
    this.orders = ordersOf(table, location);
    this.names = new Set([
      ...keyParts(table).names,
      ...indexParts(table).keys(),
      table.type,
      ...reads.member,
    ]);
  }

  /** How many items show, mostly, that there are enough members: in an index, one more than there are members. */
  get expected(): number {
    return this.location.in === 'index' ? this.most + 1 : this.most;
  }

  /** Whether no other item can be among them. */
  get isComplete(): boolean {
    return this.found.length === this.most && (this.isPast || this.location.in === 'partition');
  }

  /**
   * In any order, as long as each page comes after those before it.
   * @throws InvalidItemError if there are more items than the aggregate reads
   */
  look(page: readonly Item[]): void {
    const { table, limit } = this.totals.rule;
    const { byAllKeys, bySortKey } = this.orders;
    const items = page.filter((item) => isInLocation(table, item, this.location)).toSorted(byAllKeys);
    for (const item of items) {
      const last = this.found[this.most - 1];
      if (last !== undefined && bySortKey(item, last) > 0) {
        this.isPast = true;
        return;
      }
      this.looked += 1;
      if (this.looked > limit) throw this.totals.tooMany();
      if (this.totals.hasPlace(item, this.location))
        this.found = [...this.found, this.held(item)].toSorted(byAllKeys).slice(0, this.most);
    }
  }

  private held(item: Item): Item {
    return Object.fromEntries(Object.entries(item).filter(([name]) => this.names.has(name)));
  }

  /** @throws InvalidItemError as {@link Totals.add} does */
  add(): void {
    for (const item of this.found) this.totals.add(item, this.location);
  }
}
