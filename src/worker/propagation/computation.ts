/**
 * A computation writes what follows from the members of an aggregate's target: its totals, on the target itself. With a ledger,
 * each member first has an entry beside the target, entries are added up in heads, and heads on the target.
 */

import { chunksOf } from '../../model/basics/chunks-of.ts';
import { unlessInvalid } from '../../model/basics/errors.ts';
import type { QueriedLocation } from '../../model/items/copy-location.ts';
import { byKey, type Item, type ItemKey, type KeyedItem, keyText, withKey } from '../../model/items/item.ts';
import { isOfKind, ofKind } from '../../model/kinds/kind.ts';
import type { BoundAggregate } from '../../model/rules/bound-rule.ts';
import { entryKey, headOf, isHead } from '../../model/rules/ledger.ts';
import type { Message } from '../../model/work/message.ts';
import { OutermostMembers } from '../../plan/outermost-members.ts';
import type { CopiesRead, CopyPlan } from '../../plan/plan-copy.ts';
import { type EntryPlan, planEntry } from '../../plan/plan-entry.ts';
import { bareTarget, isMadeAt, planTarget } from '../../plan/plan-target.ts';
import { Totals } from '../../plan/totals.ts';
import type { DerivedItems, Propagation } from './context.ts';
import {
  type CopyPage,
  copiesInLocations,
  type NamedCopies,
  type Reading,
  readOrMissing,
} from './copy-pages.ts';
import { holding, mostBytes } from './item-memory.ts';
import { naming } from './settle.ts';

/** With a ledger, a message names members to post; one that names none computes its target. */
export function itemsOfTarget(aggregate: BoundAggregate, propagation: Propagation): DerivedItems {
  if (aggregate.ledger === undefined) return new TotalsOfTarget(aggregate, propagation);
  const { root, copies } = propagation.message;
  if (isHead(aggregate, root)) return new TotalsOfTarget(aggregate.ledger.entries, propagation);
  return copies === undefined
    ? new TotalsOfTarget(aggregate.ledger.heads, propagation)
    : new EntriesOfTarget(aggregate, propagation);
}

abstract class ItemsOfTarget {
  protected readonly aggregate: BoundAggregate;
  protected readonly propagation: Propagation;

  constructor(aggregate: BoundAggregate, propagation: Propagation) {
    this.aggregate = aggregate;
    this.propagation = propagation;
  }

  async locate(message: Message): Promise<Message> {
    return message;
  }

  plansEmpty(): boolean {
    return false;
  }
}

/** All members of the target are read each time, so a message names no items, and what is left of it is all of it. */
class TotalsOfTarget extends ItemsOfTarget implements DerivedItems {
  async *pages(): AsyncGenerator<CopyPage> {
    yield { ...(await this.readAgain()), size: 1, following: undefined };
  }

  async pending(_: Message, page: CopyPage): Promise<NamedCopies> {
    return { ...page, unread: [] };
  }

  async plan(
    _: Message,
    { copies: [target], missing }: CopiesRead,
  ): Promise<readonly CopyPlan[] | undefined> {
    const { context, message, tally } = this.propagation;
    if (target === undefined && missing.length === 0) return [];
    const totals = await readTotals(context, this.aggregate, message.root, target?.item);
    if (totals === undefined) return undefined;
    tally.skipped = totals.skipped.members;
    return [planTarget(totals, message.root, target?.item)];
  }

  /** Unless the aggregate makes targets, one that is not there gets no item; its own record computes it once it is. */
  async readAgain(): Promise<NamedCopies> {
    const { aggregate } = this;
    const { context, message, tally } = this.propagation;
    const target = await context.table.get(message.root);
    const isMade = isMadeAt(aggregate, message.root);
    const isThere = target !== undefined && (isMade || isOfKind(aggregate.on, target.item));
    tally.absent = isThere || isMade ? 0 : 1;
    const missing = isMade && !isThere ? [message.root] : [];
    return { copies: isThere ? [target] : [], missing, unread: [] };
  }

  naming(message: Message): Message {
    return message;
  }
}

/** Entries that one transaction writes beside their head. Source: AWS, "TransactWriteItems": 100 actions. */
const pageSize = 99;

/**
 * The entries of the members that a message names, read before their members. Each write of an entry has a record, which names the
 * member again: so the last write of an entry is what its member counts for.
 */
class EntriesOfTarget extends ItemsOfTarget implements DerivedItems {
  private readonly named = this.propagation.message.copies ?? [];
  /** The members by the texts of their entries' keys. */
  private readonly members = new Map(this.named.map((member) => [keyText(this.entryOf(member)), member]));

  async *pages(): AsyncGenerator<CopyPage> {
    const pages = chunksOf(this.named, pageSize);
    for (const [index, page] of pages.entries()) {
      const rest = pages.slice(index + 1).flat();
      const missing = page.map((member) => this.entryOf(member));
      const following = rest.length === 0 ? undefined : { copies: rest };
      yield { copies: [], missing, size: page.length, following };
    }
  }

  pending(_: Message, { missing }: CopyPage): Promise<NamedCopies> {
    return this.readAgain(missing);
  }

  async plan(_: Message, { copies, missing }: CopiesRead): Promise<readonly EntryPlan[]> {
    const { message } = this.propagation;
    const entryAt = byKey(copies);
    const members = this.withEntries([...copies.map(({ key }) => key), ...missing]);
    const memberAt = byKey(await this.readMembers(members));
    return members.map((key) => {
      const entry = entryAt(this.entryOf(key))?.item;
      return planEntry(this.aggregate, message.root, { key, entry, item: memberAt(key)?.item });
    });
  }

  readAgain(keys: readonly ItemKey[]): Promise<NamedCopies> {
    return readOrMissing(this.propagation.context, keys);
  }

  naming(message: Message, entries: readonly ItemKey[]): Message {
    return naming(message, this.withEntries(entries));
  }

  private entryOf(member: ItemKey): ItemKey {
    return entryKey(this.aggregate, this.propagation.message.root, member);
  }

  private withEntries(entries: readonly ItemKey[]): readonly ItemKey[] {
    const texts = new Set(entries.map(keyText));
    return [...this.members].flatMap(([entry, member]) => (texts.has(entry) ? [member] : []));
  }

  /** They are not held while their entries are written. */
  private readMembers(keys: readonly ItemKey[]): Promise<readonly KeyedItem[]> {
    const { memory, table } = this.propagation.context;
    return holding(memory, mostBytes(keys.length), () => table.getMany(keys));
  }
}

/**
 * @param item what is at the target's key: members are those of a target with its key alone if it is not one
 * @returns undefined if the time was up
 * @throws InvalidItemError that names the member, one of maybe thousands
 */
export async function readTotals(
  reading: Reading,
  aggregate: BoundAggregate,
  key: ItemKey,
  item: Item | undefined,
): Promise<Totals | undefined> {
  const names = reading.registry.table;
  const totals = new Totals(aggregate, ofKind(aggregate.on, item) ?? bareTarget(aggregate, key));
  if (aggregate.areHeads) {
    const headAt = byKey(await reading.table.getMany(totals.locations.map(keyOfHead)));
    for (const location of totals.locations) {
      const head = headAt(keyOfHead(location));
      if (head !== undefined) totals.add(head.item, location);
    }
    return totals;
  }
  const end = OutermostMembers.of(totals);
  const named = (add: () => void) =>
    unlessInvalid(add, (error) => {
      throw error.concerns === 'member' ? withKey(names, error) : error;
    });
  const most = reading.settings.pageLimit;
  // Each page is as large as this says when it is read.
  const settings = { pageLimit: Math.min(end?.expected ?? most, most) };
  for await (const page of copiesInLocations({ ...reading, settings }, totals)) {
    const { copies, location, following, isPart } = page;
    named(() => {
      if (end !== undefined) end.look(copies.map(({ item }) => item));
      else for (const { item } of copies) totals.add(item, location);
    });
    if (following === undefined || (end?.isComplete && !isPart)) {
      named(() => end?.add());
      return totals;
    }
    if (reading.outOfTime?.()) break;
    settings.pageLimit = Math.min(2 * settings.pageLimit, most);
  }
  return undefined;
}

/** A ledger's table has keys of text. */
function keyOfHead({ pk }: QueriedLocation): ItemKey {
  return headOf({ pk: String(pk) });
}
