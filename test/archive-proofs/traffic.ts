import type { Random } from '../../src/develop/testing/simulation/random.ts';
import type { ModelTable } from '../../src/develop/testing/table-model/model-table.ts';
import type { Item, ItemKey } from '../../src/model/item.ts';
import { item } from '../fixtures/model/items.ts';
import { table as names } from '../fixtures/model/table.ts';
import { type Way, ways } from './moorings.ts';

/** Items that something happens to at the same time. */
const crowd = 2_000;

interface Berth {
  readonly way: Way;
  readonly key: ItemKey;
  /** Lives that it has still to begin. */
  lives: number;
}

/**
 * What applications and the service do: items begin, change, are given another time to live, expire, are deleted, and
 * begin again under the same key, with a content that they may have had before.
 */
export class Traffic {
  /** Items that expired so far. */
  expired = 0;
  /** Items that users deleted so far. */
  deleted = 0;
  private readonly random: Random;
  private readonly table: ModelTable;
  private readonly wanted: number;
  private berths: Berth[] = [];
  private made = 0;

  /** @param wanted expiries after which it ends */
  constructor(random: Random, table: ModelTable, wanted: number) {
    this.random = random;
    this.table = table;
    this.wanted = wanted;
  }

  over(): boolean {
    return this.expired >= this.wanted;
  }

  /** Something happens to one item. */
  act(): void {
    if (this.over()) return;
    while (this.berths.length < crowd) this.berths.push(this.begun());
    const index = this.random.int(0, this.berths.length - 1);
    const berth = this.berths[index];
    if (berth === undefined) return;
    const there = this.table.read(berth.key);
    if (there !== undefined) this.happen(berth, there);
    else if (berth.lives > 0) {
      berth.lives -= 1;
      this.table.put(this.content(berth.key, this.random.chance(0.85)));
    } else this.berths[index] = this.begun();
  }

  private begun(): Berth {
    this.made += 1;
    const way = this.random.pick(ways);
    const key = way.kind.key({ quay: String(this.made % 997), ship: this.ship() });
    return { way, key, lives: this.random.pick([1, 1, 1, 2, 3, 5]) };
  }

  /** Names that keys of objects have to encode, among others. */
  private ship(): string {
    const name = this.random.pick(['ship', '../a', 'b/c', '🛳', 'd.json', 'e.json.7', 'dt=2026-01-01']);
    return `${name}#${this.made}`;
  }

  private happen({ key }: Berth, there: Item): void {
    const expires = there[names.ttl] !== undefined;
    const happening = this.random.weighted<() => void>([
      [2, () => this.table.put(this.content(key, true))],
      [1, () => this.table.update(key, { set: { [names.ttl]: { N: String(this.random.int(1, 3)) } } })],
      [0.2, () => this.table.update(key, { remove: [names.ttl] })],
      [0.6, () => this.delete(key)],
      [expires ? 3 : 0, () => this.expire(key)],
    ]);
    happening?.();
  }

  private expire(key: ItemKey): void {
    this.table.expire(key);
    this.expired += 1;
  }

  private delete(key: ItemKey): void {
    this.table.delete(key);
    this.deleted += 1;
  }

  /** One of few contents, or one that never was before. */
  private content({ pk, sk }: ItemKey, expires: boolean): Item {
    const { random } = this;
    const said = random.chance(0.4) ? random.int(1, 3) : random.int(1, 1_000_000_000);
    return item({
      [names.pk]: pk,
      [names.sk]: sk,
      Said: said,
      Text: random.pick(['', 'ü', '"\\', 'a\nb']),
      Bytes: new Uint8Array([said % 251, 0, 255]),
      Set: new Set(['a', `b${said % 7}`]),
      Deep: { list: [null, true, { Said: String(said) }] },
      ...(expires && { [names.ttl]: random.int(1, 3) }),
    });
  }
}
