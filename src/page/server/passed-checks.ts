import { type ItemKey, keyText } from '../../model/items/item.ts';
import type { Entry } from './journal-entry.ts';

/** Copies that are remembered: not every check writes. */
const maxCopies = 5_000;

interface PassedCheck {
  /** What the write belongs to. */
  readonly entry: Entry;
  /** The number of changes before it. */
  readonly since: number;
}

/**
 * The last write of the worker by which a rule checks a copy, by rule and copy. Such a write is no change of its own: what the check
 * writes belongs to the change that the write belongs to.
 */
export class PassedChecks {
  private readonly byCopy = new Map<string, PassedCheck>();

  pass(rule: string, copy: ItemKey, check: PassedCheck): void {
    const text = `${rule} ${keyText(copy)}`;
    this.byCopy.delete(text);
    this.byCopy.set(text, check);
    const [oldest] = this.byCopy.size > maxCopies ? this.byCopy.keys() : [];
    if (oldest !== undefined) this.byCopy.delete(oldest);
  }

  /** Undefined if this change has come since. */
  of(rule: string, copy: ItemKey, own: Entry | undefined): Entry | undefined {
    const passed = this.byCopy.get(`${rule} ${keyText(copy)}`);
    return passed !== undefined && passed.since >= (own?.view.id ?? 0) ? passed.entry : undefined;
  }
}
