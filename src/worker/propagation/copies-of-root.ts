import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { keyIn, sameKey } from '../../model/item.ts';
import { ofKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { Rule } from '../../model/rule.ts';
import type { Computation } from './computation.ts';
import type { Propagation } from './context.ts';
import { type CopyPage, type NamedCopies, pagesOf, readNamed } from './copy-pages.ts';
import { naming } from './message-parts.ts';
import { type CopiesRead, planCopies } from './plan/plan-copy.ts';
import { appliesTo, locationOf, locationsOf } from './plan/rule-functions.ts';

export function copiesOfRoot(rule: Rule, { context, tally }: Propagation): Computation {
  const { table } = context.registry;

  /** Where the root, as it is now, places its copies. */
  async function locate(message: Message): Promise<CopyLocation[]> {
    if (message.copies !== undefined) return [];
    // An item of another kind, which may come to be where a root was, says nothing.
    const root = ofKind(table, rule.root, await context.table.get(message.root));
    // A root that the rule does not apply to need not say where its copies would be.
    if (root !== undefined)
      return appliesTo(table, rule, root) ? [locationOf(table, rule, root)] : locationsOf(table, rule, root);
    if (message.cause !== 'deleted' && message.cause !== 'expired') return [];
    const why = `Rule ${rule.name} cannot locate the copies of this removed root: its last image lacks what located.at reads, or leads to a key that DynamoDB rejects`;
    throw new InvalidItemError('root', 'root.unlocatable', why, { rule: rule.name, key: message.root });
  }

  async function plan(message: Message, read: CopiesRead) {
    const { root: rootKey, cause, locations = [] } = message;
    // An item that is its own copy has just been read.
    const root =
      rule.located.in === 'itself'
        ? read.copies.find((copy) => sameKey(keyIn(table, copy), rootKey))
        : await context.table.get(rootKey);
    return planCopies({ table, rule, rootKey, root, cause, locations }, read);
  }

  /** Entries that differ from their root, read after them. Others are right, or have a later record of their own. */
  async function differing(message: Message, { copies: entries }: CopyPage): Promise<NamedCopies> {
    if (entries.length === 0) return { copies: [], missing: [], unread: [] };
    const plans = await plan(message, { copies: entries, missing: [] });
    const others = entries.filter((_, index) => plans[index]?.is !== 'unchanged');
    tally.unchanged += entries.length - others.length;
    return readAgain(others.map((entry) => keyIn(table, entry)));
  }

  const readAgain: Computation['readAgain'] = (keys) => readNamed(context, rule, keys);
  return {
    locate: async (message) => ({ ...message, locations: message.locations ?? (await locate(message)) }),
    pages: (message) => pagesOf(context, rule, message),
    pending: async (message, page) => (page.stale ? await differing(message, page) : { ...page, unread: [] }),
    // A list of keys is read from the root in any case: if it is too long, that is an error, whatever copies there are.
    plansEmpty: ({ copies }) => rule.located.in === 'keys' && copies === undefined,
    plan,
    readAgain,
    naming,
  };
}
