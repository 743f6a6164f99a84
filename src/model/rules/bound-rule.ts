import { indexParts, keyParts, type TableNames } from '../items/table-names.ts';
import { type AnyKind, type BoundKind, bindKinds } from '../kinds/kind.ts';
import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import { entriesOf, headsOf } from './ledger.ts';
import { outputsOf, type Rule } from './rule.ts';

/**
 * A rule of a project, bound to the project's table: with its kinds as the table has them, and with what follows from rule and
 * table alone, so that nothing of it is computed for each root or copy.
 */
export interface BoundRule extends Rule<BoundKind> {
  readonly table: TableNames;
  /** The attributes of a copy that the rule names in `copies` or `derive`. */
  readonly outputs: ReadonlySet<string>;
  /** The attributes that `copies: 'all'` leaves alone. */
  readonly neverCopied: ReadonlySet<string>;
  /** The parts of the index by which the rule finds copies. */
  readonly locating: readonly string[];
  /** What every condition on a root, and on a copy, compares: what the rule reads of it or finds it by, and a type that tells its kind. */
  readonly compared: { readonly root: readonly string[]; readonly copy: readonly string[] };
}

/** An aggregate of a project, bound to the project's table. */
export interface BoundAggregate extends Aggregate<BoundKind> {
  readonly table: TableNames;
  readonly ledger: BoundLedger | undefined;
  /** What every condition on a target compares, as {@link BoundRule.compared} does. */
  readonly compared: readonly string[];
  /** Whether a rule or an aggregate of the project, disabled ones included, writes this attribute of a target. */
  readonly isWritten: (attribute: string) => boolean;
}

/** An aggregate with a ledger as two without: they are computed, checked and verified as any other. */
interface BoundLedger {
  readonly shards: number;
  /** The target from its heads. */
  readonly heads: BoundAggregate;
  /** A head from its entries: for verify and repair. The worker itself adds to heads. */
  readonly entries: BoundAggregate;
}

/** An archive rule of a project, bound to the project's table. */
export interface BoundArchiveRule extends ArchiveRule<BoundKind> {
  readonly table: TableNames;
}

export type BoundWriter = BoundRule | BoundAggregate;

/** @param bind gives each kind as the project has it. Default: as if the project had no other kind */
export function bindRule(table: TableNames, rule: Rule, bind = bindKinds(table, [])): BoundRule {
  const { own, located, reads } = rule;
  const [root, copy] = [bind(rule.root), bind(rule.copy)];
  const locating = located.in === 'index' ? keyParts(located.index).names : [];
  const tellsKinds = (root.type ?? copy.type) !== undefined;
  return {
    ...rule,
    table,
    root,
    copy,
    locating,
    compared: {
      root: [...reads.root, ...typeIn(root)],
      copy: [...reads.copy, ...locating, ...typeIn(copy)],
    },
    outputs: new Set(outputsOf(rule)),
    neverCopied: new Set([
      ...keyParts(table).names,
      ...indexParts(table).keys(),
      ...own,
      table.ttl,
      ...(tellsKinds ? [table.type] : []),
    ]),
  };
}

/** If it decides, together with the key, whether an item is of this kind or of a more specific one. */
function typeIn(kind: BoundKind): readonly string[] {
  return [kind, ...kind.narrower].some((one) => one.type !== undefined) ? [kind.table.type] : [];
}

/**
 * @param bind as {@link bindRule} does
 * @param isWrittenOn whether a rule or an aggregate of the project writes an attribute of this kind. An aggregate that is bound already
 * keeps to its own project
 */
export function bindAggregate(
  table: TableNames,
  aggregate: Aggregate | BoundAggregate,
  bind = bindKinds(table, []),
  isWrittenOn: (kind: AnyKind, attribute: string) => boolean = () => false,
): BoundAggregate {
  const { of, ledger, reads, computes } = aggregate;
  const on = bind(aggregate.on);
  const isWritten = (name: string) => Object.hasOwn(computes, name) || isWrittenOn(on, name);
  return {
    ...aggregate,
    table,
    of: bind(of),
    on,
    compared: [...reads.target, ...typeIn(on)],
    isWritten: 'isWritten' in aggregate ? aggregate.isWritten : isWritten,
    ledger: ledger && {
      shards: ledger.shards,
      heads: bindAggregate(table, headsOf(aggregate), bind, isWrittenOn),
      entries: bindAggregate(table, entriesOf(aggregate), bind, isWrittenOn),
    },
  };
}

export function bindArchiveRule(
  table: TableNames,
  rule: ArchiveRule,
  bind = bindKinds(table, []),
): BoundArchiveRule {
  const bindTheir = <Some extends { readonly kind: AnyKind }>(one: Some) => ({
    ...one,
    kind: bind(one.kind),
  });
  return {
    ...rule,
    table,
    kinds: rule.kinds.map(bind),
    when: rule.when.map(bindTheir),
    ages: rule.ages && { ...bindTheir(rule.ages), with: rule.ages.with.map(bindTheir) },
  };
}
