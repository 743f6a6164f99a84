import { type Item, type ItemKey, keyIn, keyText } from '../../../../model/item.ts';
import type { Message } from '../../../../model/message.ts';
import type { Committed, ModelTable } from '../../table-model/model-table.ts';
import { checkCreation, wasTaken } from './creations.ts';
import { Expectations } from './expectations.ts';
import type { Findings } from './findings.ts';
import { Lives, type Version } from './lives.ts';
import { isWide, type Relation } from './relation.ts';
import { changedNames, seemed, shows, showsPart } from './shown-root.ts';
import { isOfTotals, type TotalsRelation, wasIncomputable } from './totals-relation.ts';

/** A relation, and the root that a copy names by it. */
interface Naming {
  readonly relation: Relation;
  readonly root: ItemKey;
}

/**
 * Judges every write of the worker as it takes effect (invariants 2 and 3). For each copy it remembers which version
 * of its root the worker showed last; no later write may show an earlier one.
 */
export class Oracle {
  readonly lives = new Lives();
  readonly expectations: Expectations;
  totals: readonly TotalsRelation[] = [];
  private readonly relations: readonly Relation[];
  private readonly table: ModelTable;
  private readonly findings: Findings;
  private readonly shown = new Map<string, number>();
  /** Copies that the worker removed as it may though nothing obliged it to: they came to an old place after a move. */
  unbidden = 0;

  constructor(relations: readonly Relation[], table: ModelTable, findings: Findings) {
    this.relations = relations;
    this.table = table;
    this.findings = findings;
    this.expectations = new Expectations(relations, table);
  }

  /** The relations in which this item is a copy. */
  relationsOf(copy: Item): readonly Relation[] {
    return this.relations.filter((relation) => relation.isCopy(copy));
  }

  /** The relations whose copies the worker creates. */
  creating(): readonly Relation[] {
    return this.relations.filter((relation) => relation.placed !== undefined);
  }

  note(change: Committed): void {
    if (change.by === 'worker') this.judge(change);
    else if (change.by !== 'sweep') this.forget(change);
    this.lives.note(change);
    this.expectations.note(change);
  }

  /** Whether there is a rule of this name. */
  knows(rule: string): boolean {
    return [...this.relations, ...this.totals].some((one) => one.rule === rule);
  }

  /** Whether a copy of this root, or this target, once was such that it could not follow, be it the root's fault or its own. */
  wasBeyondRepair(rule: string, rootKey: ItemKey): boolean {
    if (wasIncomputable(this.totals, this.lives, rule, rootKey)) return true;
    const relation = this.relations.find((one) => one.rule === rule);
    if (relation === undefined) return false;
    const roots = this.lives.of(rootKey).flatMap(({ item }) => (item === undefined ? [] : [item]));
    const copies = this.lives.all().flatMap(({ item }) => {
      const named = item !== undefined && relation.isCopy(item) ? relation.rootOf(item) : undefined;
      return item !== undefined && named !== undefined && keyText(named) === keyText(rootKey) ? [item] : [];
    });
    return roots.some(
      (root) =>
        relation.locations(root, root) === undefined ||
        copies.some((copy) => relation.wanted(root, copy) === undefined),
    );
  }

  /** Whether one of the message's copies could not be created, because another item had its key. */
  wasTaken(message: Message): boolean {
    return wasTaken(this.creating(), this.lives, message);
  }

  private judge({ key, before, after }: Committed): void {
    const where = keyText(key);
    if (before === undefined) {
      if (after !== undefined) this.checkCreation(key, after);
      return;
    }
    if (isOfTotals(this.totals, before, after)) return;
    const relations = this.relationsOf(before);
    if (relations.length === 0) {
      this.findings.violated(3, 'the worker writes an item that is no copy', where);
      return;
    }
    const naming = relations.flatMap((relation) => {
      const root = relation.rootOf(before);
      return root === undefined ? [] : [{ relation, root }];
    });
    const [first] = naming;
    if (first === undefined) {
      this.findings.violated(3, 'the worker writes a copy that names no root', where);
      return;
    }
    if (after === undefined) this.checkRemoval(naming, key, before);
    else {
      const names = changedNames(before, after);
      const { relation, root } =
        naming.find((one) => names.every((name) => one.relation.writes(name))) ?? first;
      if (relation.crosses(root, before))
        this.findings.violated(3, 'the worker writes across tenants', where);
      const touched = names.filter((name) => !relation.writes(name));
      if (touched.length > 0) this.findings.violated(3, `the worker touches ${touched.join()}`, where);
      this.checkUpdate(relation, root, before, after, where);
    }
  }

  private checkCreation(key: ItemKey, copy: Item): void {
    const made = checkCreation(this.creating(), this.table, key, copy, this.findings);
    if (made === undefined) return;
    this.shown.set(`${made.relation.rule} ${keyText(key)}`, this.lives.of(made.root).length - 1);
  }

  private checkRemoval(naming: readonly Naming[], key: ItemKey, before: Item): void {
    const where = keyText(key);
    if (naming.every(({ relation, root }) => relation.crosses(root, before)))
      this.findings.violated(3, 'the worker writes across tenants', where);
    if (!naming.some(({ relation, root }) => this.mayEnd(relation, root, before, 'delete')))
      this.findings.violated(3, 'the worker removes a copy that is to stay', where);
    if (!naming.some(({ relation, root }) => this.expectations.mustEnd(relation, root, before)))
      this.unbidden += 1;
  }

  private checkUpdate(relation: Relation, root: ItemKey, before: Item, after: Item, where: string): void {
    const itself = keyText(root) === where;
    const versions = itself ? [{ item: before, expired: false, at: 0 }] : this.lives.of(root);
    const matching = versions.flatMap(({ item }, index) =>
      item !== undefined && shows(relation, item, before, after) ? [index] : [],
    );
    if (matching.length === 0) {
      if (this.isPartOfWide(relation, versions, before, after)) return;
      if (!this.isClearing(relation, before, after) || !this.mayEnd(relation, root, before, 'clear'))
        this.findings.violated(2, 'the worker writes what its root never was, or not there', where);
      if (!this.expectations.mustEnd(relation, root, before)) this.unbidden += 1;
      return;
    }
    if (!isWide(before)) this.countUnseen(relation, root, before, after);
    const shown = `${relation.rule} ${where}`;
    const last = this.shown.get(shown) ?? 0;
    const next = matching.find((index) => index >= last);
    if (next !== undefined) {
      this.shown.set(shown, next);
      return;
    }
    const newest = matching.at(-1) ?? 0;
    const written = versions[newest]?.item ?? {};
    const flipped = versions
      .slice(0, newest + 1)
      .some(({ item }) => item !== undefined && seemed(relation, item, written, before));
    const shownSince = versions[last]?.at ?? 0;
    if (flipped || this.cameBack(relation, before, shownSince))
      this.findings.excepted('flips within a propagation');
    else if (isWide(before)) this.findings.excepted('writes of a part of a very wide copy');
    else if (!this.isPartOfWide(relation, versions.slice(last), before, after))
      this.findings.violated(2, 'the worker goes back to an older value of a root', where);
    this.shown.set(shown, newest);
  }

  /**
   * Whether the copy had looked like this before its root was what it shows now: a propagation that read it then finds its
   * condition met, whoever wrote what meanwhile.
   */
  private cameBack(relation: Relation, before: Item, shownSince: number): boolean {
    const earlier = this.lives.of(keyIn(this.table.names, before)).filter(({ at }) => at < shownSince);
    return earlier.some(
      ({ item }) =>
        item !== undefined && changedNames(item, before).every((name) => !relation.concerns(name)),
    );
  }

  /**
   * Whether a copy got some of what one value of its root says, because it or the root has more attributes than one write
   * or one condition takes. The rest follows, and what others write meanwhile is not excluded.
   */
  private isPartOfWide(relation: Relation, versions: readonly Version[], before: Item, after: Item): boolean {
    const roots = versions.flatMap(({ item }) => (item === undefined ? [] : [item]));
    if (![before, after, ...roots].some(isWide)) return false;
    const isPart = roots.some((item) => showsPart(relation, item, before, after));
    if (isPart) this.findings.excepted('writes of a part of a very wide copy');
    return isPart;
  }

  /** Attributes that came to a strict mirror after it was read, and that the write could not know of. */
  private countUnseen(relation: Relation, rootKey: ItemKey, before: Item, after: Item): void {
    const root = this.table.read(rootKey);
    const wanted = root && relation.wanted(root, before);
    if (wanted === undefined) return;
    const unseen = [...wanted].some(
      ([name, value]) => value === undefined && after[name] !== undefined && after[name] === before[name],
    );
    if (unseen) this.findings.excepted('attributes that no condition excludes');
  }

  /** Whether the write did nothing but take away what had been copied, as far as it could know of it. */
  private isClearing(relation: Relation, before: Item, after: Item): boolean {
    if (changedNames(before, after).some((name) => after[name] !== undefined)) return false;
    if (Object.keys(after).some((name) => relation.writes(name)))
      this.findings.excepted(
        isWide(before) ? 'writes of a part of a very wide copy' : 'attributes that no condition excludes',
      );
    return true;
  }

  /** Whether a copy may be ended: its root went, or moved away from it, under a policy that says so. */
  private mayEnd(relation: Relation, rootKey: ItemKey, copy: Item, policy: 'delete' | 'clear'): boolean {
    const root = this.table.read(rootKey);
    const versions = this.lives.of(rootKey);
    if (root !== undefined && relation.isExcluded?.(root)) return relation.onDelete === policy;
    const locatedHere = versions.some(
      ({ item }) =>
        item !== undefined && (relation.locations(item, copy) === true || relation.excludes?.(item, copy)),
    );
    if (!locatedHere) return false;
    if (root !== undefined) return relation.locations(root, copy) === false && relation.onDelete === policy;
    const ends = versions.flatMap(({ item, expired }) =>
      item === undefined ? [expired ? relation.onExpire : relation.onDelete] : [],
    );
    const moved =
      relation.onDelete === policy &&
      versions.some(({ item }) => item !== undefined && relation.locations(item, copy) === false);
    if (ends.at(-1) === policy || moved) return true;
    if (!ends.includes(policy)) return false;
    this.findings.excepted('removals of another life');
    return true;
  }

  /** An application that writes a copy decides anew what it shows. */
  private forget({ key, before, after }: Committed): void {
    for (const relation of this.relationsOf(after ?? before ?? {})) {
      const anew =
        before === undefined ||
        after === undefined ||
        changedNames(before, after).some((name) => relation.concerns(name));
      if (anew) this.shown.delete(`${relation.rule} ${keyText(key)}`);
    }
  }
}
