import { type ItemKey, keyText } from '../../model/items/item.ts';
import type { ItemEvent } from '../protocol/views.ts';

/** Items that are remembered, and the last events of each. */
const limits = { items: 20_000, events: 30 };

export interface LoggedItem {
  readonly key: ItemKey;
  /** As the last change left it, or found it. */
  readonly kinds: readonly string[];
  /** A later change has a higher number. */
  readonly order: number;
  /** Oldest first. */
  readonly events: readonly ItemEvent[];
}

/** What happened to each item in this run: times, rules and names of attributes, no values. */
export class ItemLog {
  /** The item that changed last comes last. */
  private readonly byItem = new Map<string, LoggedItem>();
  private order = 0;

  /** @param kinds default: those that it had */
  add(key: ItemKey, event: ItemEvent, kinds?: readonly string[]): void {
    const text = keyText(key);
    const known = this.byItem.get(text);
    const events = [...(known?.events ?? []), event].slice(-limits.events);
    this.order += 1;
    this.byItem.delete(text);
    this.byItem.set(text, { key, kinds: kinds ?? known?.kinds ?? [], order: this.order, events });
    const [oldest] = this.byItem.size > limits.items ? this.byItem.keys() : [];
    if (oldest !== undefined) this.byItem.delete(oldest);
  }

  of(key: ItemKey): LoggedItem | undefined {
    return this.byItem.get(keyText(key));
  }

  /** Those that changed before this number, the newest first. */
  newest(before = Number.POSITIVE_INFINITY): readonly LoggedItem[] {
    return [...this.byItem.values()].filter(({ order }) => order < before).reverse();
  }
}
