import { type ItemKey, keyText } from '../../model/items/item.ts';
import type { ItemEvent } from '../protocol/views.ts';

/** Events that are remembered in all, and of each item. */
const limits = { events: 50_000, ofItem: 30 };

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
  private events = 0;

  /** @param kinds default: those that it had */
  add(key: ItemKey, event: ItemEvent, kinds?: readonly string[]): void {
    const text = keyText(key);
    const known = this.byItem.get(text);
    const events = [...(known?.events ?? []), event].slice(-limits.ofItem);
    this.order += 1;
    this.forget(text);
    this.byItem.set(text, { key, kinds: kinds ?? known?.kinds ?? [], order: this.order, events });
    this.events += events.length;
    const [oldest] = this.events > limits.events ? this.byItem.keys() : [];
    if (oldest !== undefined) this.forget(oldest);
  }

  private forget(text: string): void {
    this.events -= this.byItem.get(text)?.events.length ?? 0;
    this.byItem.delete(text);
  }

  of(key: ItemKey): LoggedItem | undefined {
    return this.byItem.get(keyText(key));
  }

  /** Those that changed before this number, the newest first. */
  newest(before = Number.POSITIVE_INFINITY): readonly LoggedItem[] {
    return [...this.byItem.values()].filter(({ order }) => order < before).reverse();
  }
}
