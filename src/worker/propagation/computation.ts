import type { ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { CopyPage, NamedCopies } from './copy-pages.ts';
import type { CopiesRead, CopyPlan } from './plan/plan-copy.ts';
import type { EntryPlan } from './plan/plan-entry.ts';

export type ItemPlan = CopyPlan | EntryPlan;

/** The items that a message asks to write: the copies of a root, or the target of members. */
export interface Computation {
  /** With all that it takes to find the items. @throws InvalidItemError if nothing tells where they are */
  locate(message: Message): Promise<Message>;
  /** A page is read each time that the caller asks for one. */
  pages(message: Message): AsyncIterable<CopyPage>;
  /** What is left to compare of a page: index entries that are right need not be read. */
  pending(message: Message, page: CopyPage): Promise<NamedCopies>;
  /** Whether a page without items is planned: what they are computed from may be invalid. Default: never. */
  plansEmpty?(message: Message): boolean;
  /**
   * @returns undefined if the time was up before it had read everything @throws InvalidItemError if what it has read is invalid
   */
  plan(message: Message, items: CopiesRead): Promise<readonly ItemPlan[] | undefined>;
  readAgain(keys: readonly ItemKey[]): Promise<NamedCopies>;
  naming(message: Message, keys: readonly ItemKey[]): Message;
}
