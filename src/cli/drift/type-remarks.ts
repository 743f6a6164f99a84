import { type TypeElsewhere, typeElsewhere, typeElsewhereText } from '../../develop/check/type-elsewhere.ts';
import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ScanPort } from '../../worker/ports.ts';
import { counted, keyJson } from '../output/text.ts';

/** Items whose type contradicts their key in one way, and the key of the first. */
interface Seen {
  readonly found: TypeElsewhere;
  readonly key: ItemKey;
  items: number;
}

/** Notices items whose type contradicts their key while a table is scanned: no rule takes them for copies. */
export class TypeRemarks {
  private readonly registry: Registry;
  private readonly elsewhere: (item: Item) => TypeElsewhere | undefined;
  private readonly seen = new Map<string, Seen>();

  constructor(registry: Registry) {
    this.registry = registry;
    this.elsewhere = typeElsewhere(registry);
  }

  /** The same scan, watched. */
  watching(scan: ScanPort): ScanPort {
    return {
      scan: async (...asked) => {
        const page = await scan.scan(...asked);
        for (const item of page.entries) this.note(item);
        return page;
      },
    };
  }

  /** A line for each contradiction. */
  lines(): string[] {
    return [...this.seen.values()].map(
      ({ found, key, items }) =>
        `${counted(items, 'item')} of no kind, such as ${keyJson(key)}: ${typeElsewhereText(this.registry, found)}`,
    );
  }

  private note(item: Item): void {
    const found = this.elsewhere(item);
    if (found === undefined) return;
    const text = typeElsewhereText(this.registry, found);
    const seen = this.seen.get(text) ?? { found, key: keyIn(this.registry.table, item), items: 0 };
    seen.items += 1;
    this.seen.set(text, seen);
  }
}
