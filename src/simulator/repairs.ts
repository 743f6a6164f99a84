import { keyIn } from '../model/items/item.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { Message } from '../model/work/message.ts';
import { postedBy } from '../worker/verify/candidates.ts';
import type { World } from './world/world.ts';

/** The propagations by which a command repairs every total: of each entry of a ledger, whose member may be the target itself, and of each target. */
export function repairsOf({ table, registry }: World): Message[] {
  const items = table.items().map((item) => ({ key: keyIn(table.names, item), item }));
  return registry.aggregates.flatMap((aggregate): Message[] => {
    const repair = { rule: aggregate.name, cause: 'repair', attempts: 0 } as const;
    const members = aggregate.ledger === undefined ? [] : items.flatMap((one) => postedBy(aggregate, one));
    const targets = items.filter(({ item }) => isOfKind(aggregate.on, item));
    return [
      ...members.map(({ target, member }) => ({ ...repair, root: target, copies: [member] })),
      ...targets.map(({ key }) => ({ ...repair, root: key })),
    ];
  });
}
