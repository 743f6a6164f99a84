import type { Aggregate } from '../../model/aggregate.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { type Item, type ItemKey, keyText } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import type { WhyComputed } from '../../operate/reasons/computation-reasons.ts';
import { targetsOf } from '../../worker/propagation/plan/aggregate-functions.ts';
import { counted, keyJson } from '../output/text.ts';
import { words } from '../output/visible.ts';

/** The role of an item in an aggregate. */
export type AggregateRole =
  | { readonly as: 'target'; readonly rule: Aggregate }
  | {
      readonly as: 'member';
      readonly rule: Aggregate;
      readonly targets: readonly ItemKey[];
      /** How `targetsOf` fails on it. */
      readonly fault: InvalidItemError | undefined;
    };

export function aggregateRoles({ table, aggregates }: Registry, item: Item): AggregateRole[] {
  return aggregates.flatMap((rule): AggregateRole[] => {
    const roles: AggregateRole[] = isOfKind(table, rule.on, item) ? [{ as: 'target', rule }] : [];
    if (!isOfKind(table, rule.of, item)) return roles;
    const targets = unlessInvalid(
      () => targetsOf(table, rule, item),
      (error) => error,
    );
    const fault = targets instanceof InvalidItemError ? targets : undefined;
    return [
      ...roles,
      { as: 'member', rule, targets: targets instanceof InvalidItemError ? [] : targets, fault },
    ];
  });
}

/** The computations of an item's targets as they are now, and of itself if it is one: each once. */
export function computationsFor(key: ItemKey, roles: readonly AggregateRole[]): readonly Message[] {
  const messages = roles.flatMap((role) =>
    (role.as === 'target' ? [key] : role.targets).map(
      (root): Message => ({ rule: role.rule.name, root, cause: 'repair', attempts: 0 }),
    ),
  );
  return [...new Map(messages.map((one) => [JSON.stringify([one.rule, keyText(one.root)]), one])).values()];
}

/** The role of an item in an aggregate, as a sentence whose subject, the item, is left out. */
export function aggregateRoleSentence(role: AggregateRole): string {
  if (role.as === 'target') return 'is its target: see the computation below';
  if (role.fault !== undefined)
    return `is its member, but its targets cannot be told (${role.fault.code}: ${role.fault.message}): its records are dead-lettered`;
  if (role.targets.length === 0) return 'is its member, but names no target: it counts nowhere';
  return `is its member, and counts for ${role.targets.map(keyJson).join(' and ')}: see the ${role.targets.length > 1 ? 'computations' : 'computation'} below`;
}

/** What an aggregate makes of a record, as a sentence whose subject, the aggregate, is left out. */
export function computedSentence(why: WhyComputed): string {
  const { as, because, targets, fault } = why;
  if (because === 'invalid')
    return `does not match: its targets cannot be told, and the record is dead-lettered (${fault})`;
  const reason = `${reasonOf(why)}`;
  if (targets.length === 0) return `does not match: ${reason}`;
  if (as === 'target') return `checks it: ${reason}`;
  return `matches: ${reason}, so ${counted(targets.length, 'target')} ${targets.length > 1 ? 'are' : 'is'} computed again`;
}

function reasonOf({ as, because, attributes, targets }: WhyComputed): string {
  const names = words(attributes);
  const nowhere = as === 'member' && targets.length === 0 ? ', and names no target' : '';
  switch (because) {
    case 'unconcerned':
    case 'invalid':
      return 'it is neither member nor target';
    case 'new':
      return `it is a new ${as}${nowhere}`;
    case 'differs':
      return `${names} ${attributes.length > 1 ? 'differ' : 'differs'} between its images${nowhere}`;
    case 'same':
      return `no attribute differs that the aggregate ${as === 'member' ? 'reads or finds it by' : 'computes or reads'}`;
    case 'removed':
      return as === 'member'
        ? `the member was removed${nowhere}`
        : 'the target was removed, so nothing is left to compute';
    case 'left-kind':
      return as === 'member' ? `it is no longer a member${nowhere}` : 'it is no longer a target';
  }
}
