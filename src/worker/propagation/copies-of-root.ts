import { InvalidItemError } from '../../model/basics/errors.ts';
import type { CopyLocation } from '../../model/items/copy-location.ts';
import { type ItemKey, sameKey } from '../../model/items/item.ts';
import { ofKind } from '../../model/kinds/kind.ts';
import type { BoundRule } from '../../model/rules/bound-rule.ts';
import type { Message } from '../../model/work/message.ts';
import { type CopiesRead, type CopyPlan, planCopies } from '../../plan/plan-copy.ts';
import { appliesTo, locationOf, locationsOf } from '../../plan/rule-functions.ts';
import type { DerivedItems, Propagation } from './context.ts';
import { type CopyPage, type NamedCopies, pagesOf, readNamed } from './copy-pages.ts';
import { naming } from './settle.ts';

export class CopiesOfRoot implements DerivedItems {
  private readonly rule: BoundRule;
  private readonly propagation: Propagation;

  constructor(rule: BoundRule, propagation: Propagation) {
    this.rule = rule;
    this.propagation = propagation;
  }

  async locate(message: Message): Promise<Message> {
    return { ...message, locations: message.locations ?? (await this.placed(message)) };
  }

  /** Where the root, as it is now, places its copies. */
  private async placed(message: Message): Promise<CopyLocation[]> {
    const { rule } = this;
    const { context } = this.propagation;
    if (message.copies !== undefined) return [];
    // An item of another kind, which may come to be where a root was, says nothing.
    const root = ofKind(rule.root, (await context.table.get(message.root))?.item);
    // A root that the rule does not apply to need not say where its copies would be.
    if (root !== undefined) return appliesTo(rule, root) ? [locationOf(rule, root)] : locationsOf(rule, root);
    if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
    const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads, or leads to a key that DynamoDB rejects`;
    throw new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key: message.root });
  }

  pages(message: Message): AsyncIterable<CopyPage> {
    return pagesOf(this.propagation.context, this.rule, message);
  }

  async pending(message: Message, page: CopyPage): Promise<NamedCopies> {
    return page.stale ? await this.differing(message, page) : { ...page, unread: [] };
  }

  /** Entries that differ from their root, read after them. Others are right, or have a later record of their own. */
  private async differing(message: Message, { copies: entries }: CopyPage): Promise<NamedCopies> {
    const { tally } = this.propagation;
    if (entries.length === 0) return { copies: [], missing: [], unread: [] };
    const plans = await this.plan(message, { copies: entries, missing: [] });
    const others = entries.filter((_, index) => plans[index]?.is !== 'unchanged');
    tally.unchanged += entries.length - others.length;
    return this.readAgain(others.map(({ key }) => key));
  }

  /** A list of keys is read from the root in any case: if it is too long, that is an error, whatever copies there are. */
  plansEmpty({ copies }: Message): boolean {
    return this.rule.located.in === 'keys' && copies === undefined;
  }

  async plan(message: Message, read: CopiesRead): Promise<readonly CopyPlan[]> {
    const { rule } = this;
    const { context } = this.propagation;
    const { root: rootKey, cause, locations = [] } = message;
    // An item that is its own copy has just been read.
    const root =
      rule.located.in === 'itself'
        ? read.copies.find(({ key }) => sameKey(key, rootKey))
        : await context.table.get(rootKey);
    return planCopies({ rule, rootKey, root: root?.item, cause, locations }, read);
  }

  readAgain(keys: readonly ItemKey[]): Promise<NamedCopies> {
    return readNamed(this.propagation.context, this.rule, keys);
  }

  naming(message: Message, keys: readonly ItemKey[]): Message {
    return naming(message, keys);
  }
}
