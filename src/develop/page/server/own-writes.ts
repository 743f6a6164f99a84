import { type GuardedAction, type GuardedUpdate, isCreation } from '../../../model/guarded-write.ts';
import { type Item, type ItemKey, keyText } from '../../../model/item.ts';
import type { WriteObserver } from './observed-table.ts';

/** A write of the worker that has not come back on the stream yet. Names of attributes, no values. */
export interface OwnWrite {
  readonly rule: string | undefined;
  /** The root, where the write names it. */
  readonly root: ItemKey | undefined;
  /** The attributes that it writes; undefined if it deletes the item. */
  readonly names: ReadonlySet<string> | undefined;
  /** When DynamoDB has made it, in epoch milliseconds; undefined while its outcome is awaited. */
  at: number | undefined;
}

/** Items with pending writes that are remembered: a filter may keep a record from the worker, so some never come back. */
const maxItems = 10_000;

/** Recognizes the worker's own writes when they come back on the stream. */
export class OwnWrites implements WriteObserver {
  private readonly byItem = new Map<string, OwnWrite[]>();
  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  updating({ key, rule, set, remove }: GuardedUpdate): (isWritten: boolean) => void {
    const names = new Set([...Object.keys(set), ...remove]);
    return this.add(key, { rule, root: undefined, names, at: undefined });
  }

  transacting(action: GuardedAction, root: ItemKey): (isWritten: boolean) => void {
    const written = isCreation(action) ? Object.keys(action.item) : action.clear;
    return this.add(action.key, { rule: undefined, root, names: written && new Set(written), at: undefined });
  }

  private add(key: ItemKey, write: OwnWrite): (isWritten: boolean) => void {
    const item = keyText(key);
    const writes = this.byItem.get(item) ?? [];
    this.byItem.delete(item);
    this.byItem.set(item, [...writes, write]);
    const [oldest] = this.byItem.size > maxItems ? this.byItem.keys() : [];
    if (oldest !== undefined) this.byItem.delete(oldest);
    return (isWritten) => {
      if (isWritten) write.at = this.now();
      else
        this.keep(
          item,
          (this.byItem.get(item) ?? []).filter((one) => one !== write),
        );
    };
  }

  /** Takes the write that made this change; undefined if an application made it. */
  take(key: ItemKey, attributes: readonly string[], after: Item | undefined): OwnWrite | undefined {
    const item = keyText(key);
    const writes = this.byItem.get(item) ?? [];
    const at = writes.findIndex(({ names }) =>
      names === undefined
        ? after === undefined
        : attributes.length > 0 && attributes.every((name) => names.has(name)),
    );
    if (at < 0) return undefined;
    this.keep(item, writes.slice(at + 1));
    return writes[at];
  }

  private keep(item: string, writes: OwnWrite[]): void {
    if (writes.length === 0) this.byItem.delete(item);
    else this.byItem.set(item, writes);
  }
}
