import { type Item, type ItemKey, keyIn, keyText } from '../../model/items/item.ts';
import { indexParts } from '../../model/items/table-names.ts';
import type { Committed, ModelTable } from '../../testing/table-model/model-table.ts';
import { sameValue } from '../../testing/table-model/same-value.ts';
import { type End, leavesItem, namesRoot, type Relation } from './relation.ts';
import { differingNames } from './shown-versions.ts';

/** A copy that has to go, or to lose what was copied, because its root went or moved away from it. */
export interface ExpectedRemoval {
  readonly root: ItemKey;
  readonly end: End;
  /** The change by which it began. */
  readonly began: Committed;
  /** It names no root any more. */
  readonly isUnlinked?: true;
}

/** An expectation begins when a root goes that placed the copy, and ends when the copy is gone, names another root, or is placed again. */
export class Expectations {
  private readonly relations: readonly Relation[];
  private readonly table: ModelTable;
  private readonly open = new Map<string, ExpectedRemoval>();
  private readonly recheckDelay: number;

  /** @param recheckDelay in milliseconds */
  constructor(relations: readonly Relation[], table: ModelTable, recheckDelay: number) {
    this.recheckDelay = recheckDelay;
    this.relations = relations;
    this.table = table;
  }

  of(relation: Relation, copy: ItemKey): ExpectedRemoval | undefined {
    return this.open.get(place(relation.rule, copy));
  }

  mustEnd(relation: Relation, root: ItemKey, copy: Item): boolean {
    if (this.of(relation, keyIn(this.table.names, copy)) !== undefined) return true;
    const present = this.table.read(root);
    return present !== undefined && relation.excludes(present, copy);
  }

  except(rule: string, copy: ItemKey): void {
    this.open.delete(place(rule, copy));
  }

  /** Drops those that these do not have: other rules were deployed when they began, which asked for something else. */
  keepOnly({ open }: Expectations): void {
    for (const [text, { end, began }] of this.open) {
      const other = open.get(text);
      if (other?.end !== end || other.began !== began) this.open.delete(text);
    }
  }

  note(change: Committed): void {
    for (const relation of this.relations) this.noteCopy(relation, change);
    for (const relation of this.relations) this.noteRoot(relation, change);
  }

  private noteCopy(relation: Relation, change: Committed): void {
    this.noteUnlinked(relation, change);
    const { key, before, after, by, at } = change;
    const expectation = this.of(relation, key);
    if (expectation === undefined || expectation.isUnlinked) return;
    const named = after && relation.isCopy(after) ? relation.rootOf(after) : undefined;
    const placed = [...indexParts(this.table.names).keys()];
    const stayed = placed.every((name) => relation.writes(name) || sameValue(before?.[name], after?.[name]));
    // What comes before the recheck of an index is cleared by that.
    const isRechecked = relation.isIndexed && at < expectation.began.at + this.recheckDelay;
    const refilled =
      !isRechecked &&
      leavesItem[expectation.end] &&
      by === 'application' &&
      after !== undefined &&
      Object.keys(after).some((name) => relation.writes(name));
    if (named === undefined || keyText(named) !== keyText(expectation.root) || !stayed || refilled)
      this.except(relation.rule, key);
  }

  /** A copy that stops naming its root: until it names one, is gone, or gets anew what was to be cleared. */
  private noteUnlinked(relation: Relation, change: Committed): void {
    const { key, before, after, by } = change;
    const { onUnlink: end } = relation;
    const isOpen = this.of(relation, key)?.isUnlinked === true;
    const isNameless = after !== undefined && relation.isNameless(after);
    const root = before !== undefined && relation.isCopy(before) ? relation.rootOf(before) : undefined;
    const isRefilled =
      by === 'application' && differingNames(before ?? {}, after ?? {}).some((name) => relation.writes(name));
    if (isOpen && (!isNameless || isRefilled)) this.except(relation.rule, key);
    if (end !== undefined && root !== undefined && isNameless && !relation.crosses(root, after))
      this.open.set(place(relation.rule, key), { root, end, began: change, isUnlinked: true });
  }

  private noteRoot(relation: Relation, change: Committed): void {
    const { key, by } = change;
    const { before, after } = relation.rootIn(change);
    if (before === undefined && after === undefined) return;
    const end = after === undefined && by === 'service' ? relation.onExpire : relation.onDelete;
    for (const copy of this.copiesOf(relation, key)) {
      const location = keyIn(this.table.names, copy);
      if (after !== undefined && relation.locations(after, copy) === true)
        this.except(relation.rule, location);
      else if (this.escapes(relation, copy, change)) this.except(relation.rule, location);
      else if (after !== undefined && before === undefined) this.amend(relation, copy);
      else if (before !== undefined && relation.locations(before, copy) === true && end !== undefined) {
        if (after === undefined || relation.locations(after, copy) === false)
          this.open.set(place(relation.rule, location), { root: key, end, began: change });
      } else if (after === undefined && !this.expires(relation, copy, change))
        this.restore(relation, location);
    }
  }

  /**
   * A root that is put again elsewhere has moved, as far as can be told: what becomes of its copies is as for moves. Nothing asks
   * anew for a copy that was cleared before.
   */
  private amend(relation: Relation, copy: Item): void {
    const location = keyIn(this.table.names, copy);
    const expectation = this.of(relation, location);
    if (expectation === undefined) return;
    const end = relation.onDelete;
    const hasEnded = leavesItem[expectation.end] && !Object.keys(copy).some(relation.writes);
    if (end === undefined) this.except(relation.rule, location);
    else if (!hasEnded) this.open.set(place(relation.rule, location), { ...expectation, end });
  }

  /**
   * When a root that was put again elsewhere is gone, too, nothing tells that it was ever there: its expiry before may clear the
   * copy. A deleted copy is cleared, too, as it is if the worker saw the root meanwhile.
   */
  private restore(relation: Relation, copy: ItemKey): void {
    const expectation = this.of(relation, copy);
    const end = relation.onExpire;
    if (expectation?.began.by === 'service' && end !== undefined && leavesItem[end])
      this.open.set(place(relation.rule, copy), { ...expectation, end });
  }

  /** Whether an excluded root moves by way of a location that cannot be computed: no record tells of both places, and the copy stays. */
  private escapes(relation: Relation, copy: Item, { key, after }: Committed): boolean {
    const began = this.of(relation, keyIn(this.table.names, copy))?.began;
    if (began?.after === undefined || !relation.isExcluded(began.after)) return false;
    if (after === undefined || relation.isLocated(after, copy) !== false) return false;
    const said = this.saidBefore(relation, copy, key);
    return said.at(-1) === undefined && lastKnown(said) === true;
  }

  /** Whether a root expires that does not tell of this copy: at its last location, onExpire applies, though it was excluded or elsewhere before. */
  private expires(relation: Relation, copy: Item, { key, before, by }: Committed): boolean {
    const location = keyIn(this.table.names, copy);
    const expectation = this.of(relation, location);
    if (expectation === undefined || by !== 'service') return false;
    if (before === undefined || relation.locations(before, copy) !== undefined) return false;
    if (lastKnown(this.saidBefore(relation, copy, key)) !== true) return false;
    const end = relation.onExpire;
    if (end === undefined) this.except(relation.rule, location);
    else this.open.set(place(relation.rule, location), { ...expectation, end });
    return true;
  }

  /** Of each image of the root before its last change, whether it looks for copies where this one is. */
  private saidBefore(relation: Relation, copy: Item, root: ItemKey): (boolean | undefined)[] {
    return this.table
      .changesOf(root)
      .flatMap(({ before }) =>
        before !== undefined && relation.isRoot(before) ? [relation.isLocated(before, copy)] : [],
      );
  }

  private copiesOf(relation: Relation, root: ItemKey): Item[] {
    return this.table
      .items()
      .filter((item) => namesRoot(relation, item, root) && !relation.crosses(root, item));
  }
}

function lastKnown(said: readonly (boolean | undefined)[]): boolean | undefined {
  return said.findLast((one) => one !== undefined);
}

function place(rule: string, copy: ItemKey): string {
  return `${rule} ${keyText(copy)}`;
}
