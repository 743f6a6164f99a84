import type { ArchiveRule } from '../../model/archive-rule.ts';
import type { Change } from '../../model/change.ts';
import type { InvalidItemError } from '../../model/errors.ts';
import { attribute, type Item, keyIn } from '../../model/item.ts';
import type { AnyKind } from '../../model/kind.ts';
import { archivedAs, type Registry } from '../../model/registry.ts';
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
 * A state that the archive concerns, and why. The item has an expiry, has expired, or was deleted and its last state is kept;
 * `erased`: it was deleted, and its states are erased; `excluded`: `when` is false for the state, which is not stored. `when`
 * does not decide what is erased: an item that it excludes may have states from before.
 */
export interface Archiving {
  readonly rule: ArchiveRule;
  readonly kind: AnyKind;
  readonly change: Change;
  readonly image: Item;
  readonly because: 'expiring' | 'expired' | 'deleted' | 'erased' | 'excluded';
  readonly fault: InvalidItemError | undefined;
}

/**
 * What a change asks of the archive, or why it asks for nothing: no rule archives the item, it has no expiry, or it was deleted
 * and its states stay as they are.
 */
export function archivingOf(
  registry: Registry,
  change: Change,
): Archiving | 'unconcerned' | 'lasting' | 'kept' {
  const { before, after, expired } = change;
  const image = after ?? before;
  const found = image && archivedAs(registry, image);
  if (image === undefined || found === undefined) return 'unconcerned';
  const { table } = registry;
  if (after !== undefined && attribute(after, table.ttl) === undefined) return 'lasting';
  const { rule, kind } = found;
  const archiving = { rule, kind, change, image };
  if (after === undefined && !expired && rule.onDelete !== 'archive')
    return rule.onDelete === 'keep' ? 'kept' : { ...archiving, because: 'erased', fault: undefined };
  const { stores, fault } = admissionOf(table, rule, kind, image);
  const because = after !== undefined ? 'expiring' : expired ? 'expired' : 'deleted';
  return { ...archiving, because: stores ? because : 'excluded', fault };
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
