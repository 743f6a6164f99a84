import type { WhyArchived } from '../../archive/why-archived.ts';
import type { Change } from '../../model/change.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import type { Classification } from '../../propagation/plan/classify.ts';
import type { Why } from '../../propagation/plan/match-reasons.ts';

/** What is explained: a record of the stream, a message of the queue, or an item as it stands. */
export type Subject =
  | {
      readonly is: 'record';
      readonly change: Change;
      readonly kinds: readonly string[];
      /** The names of all rules that there are. */
      readonly rules: readonly string[];
      readonly whys: readonly Why[];
      readonly archives: readonly WhyArchived[];
    }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'unreadable'; readonly id: string; readonly reason: string }
  | {
      readonly is: 'item';
      readonly key: ItemKey;
      readonly item: Item | undefined;
      readonly kinds: readonly string[];
      readonly rules: readonly string[];
      readonly roles: readonly Role[];
      readonly archives: readonly WhyArchived[];
    };

/** What an item that stands in the table is to a rule. As a copy, also what a check finds. */
export type Role =
  | { readonly as: 'root' | 'itself'; readonly rule: Rule }
  | { readonly as: 'copy'; readonly rule: Rule; readonly root: ItemKey; readonly finding: Classification }
  | { readonly as: 'copy'; readonly rule: Rule; readonly root: undefined };

/** The names of the kinds that an item is of. */
export function kindsOf(registry: Registry, item: Item): string[] {
  return namesOf(registry, (kind) => isOfKind(registry.table, kind, item));
}

/** The names of the kinds whose items have such keys. */
export function kindsByKey(registry: Registry, key: ItemKey): string[] {
  return namesOf(registry, (kind) => kind.idsOf(key) !== undefined);
}

function namesOf({ rules, archives }: Registry, fits: (kind: AnyKind) => boolean): string[] {
  const kinds = [
    ...rules.flatMap(({ root, copy }) => [root, copy]),
    ...archives.flatMap((rule) => rule.kinds),
  ];
  return [...new Set(kinds.filter(fits).map(({ name }) => name))];
}

export function ruleNames({ rules, archives }: Registry): string[] {
  return [...rules, ...archives].map(({ name }) => name);
}
