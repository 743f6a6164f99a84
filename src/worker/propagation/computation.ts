import type { ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { CopyPage, NamedCopies } from './copy-pages.ts';
import type { CopiesRead, CopyPlan } from './plan/plan-copy.ts';

/**
 * The items that a message asks to write, and what they are computed from: the copies of a root, or the target of members. A
 * copy is a target with one member, its root. A rule finds the items by a query, an aggregate names one.
 */
export interface Computation {
  /** The message with all that it takes to find its items. @throws InvalidItemError if nothing tells where they are */
  locate(message: Message): Promise<Message>;
  /** Reads the items, a page each time that the caller asks for one. */
  pages(message: Message): AsyncIterable<CopyPage>;
  /** What is left to compare of a page: index entries that are right need not be read. */
  pending(message: Message, page: CopyPage): Promise<NamedCopies>;
  /** Whether a page without items is planned: what they are computed from may be invalid. */
  plansEmpty(message: Message): boolean;
  /**
   * Reads what these items are computed from, and plans a write for each.
   * @returns undefined if the time was up before it had read everything
   * @throws InvalidItemError if what they are computed from is invalid
   */
  plan(message: Message, items: CopiesRead): Promise<readonly CopyPlan[] | undefined>;
  /** Reads items of which a condition failed again. */
  readAgain(keys: readonly ItemKey[]): Promise<NamedCopies>;
  /** The message with these items alone to write. */
  naming(message: Message, keys: readonly ItemKey[]): Message;
}
