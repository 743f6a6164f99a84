import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { InvalidItemError } from '../../model/errors.ts';
import { type Item, keyIn } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { viewOf } from '../../model/view.ts';
import { called, not } from '../propagation/plan/rule-returns.ts';

/** Whether an archive rule stores a state, as its `when` says. */
export interface Admission {
  readonly stores: boolean;
  /** How `when` fails on the state. The state is stored then: what is not stored before it expires is lost. */
  readonly fault: InvalidItemError | undefined;
}

export function admissionOf(table: TableNames, rule: ArchiveRule, kind: AnyKind, state: Item): Admission {
  return unlessInvalid(
    () => ({ stores: meets(table, rule, kind, state), fault: undefined }),
    (fault) => ({ stores: true, fault }),
  );
}

/**
 * Whether every predicate of this kind in the rule's `when` is true for a state.
 * @throws InvalidItemError if the state lacks what a predicate reads, or if a predicate fails on it
 */
export function meets(table: TableNames, rule: ArchiveRule, kind: AnyKind, state: Item): boolean {
  return rule.when
    .filter((predicate) => predicate.kind === kind)
    .every((predicate) => {
      const view = viewOf(table, kind, state, { rule: rule.name, role: 'root', reads: predicate.reads });
      const item = { key: keyIn(table, state), concerns: 'root' } as const;
      // A Promise would count as true.
      return called({ rule, does: 'when', item }, () => predicate.item(view), not('boolean'));
    });
}

/** What the predicates of this kind read. */
export function readByWhen(rule: ArchiveRule, kind: AnyKind): readonly string[] {
  return rule.when.filter((predicate) => predicate.kind === kind).flatMap(({ reads }) => reads);
}
