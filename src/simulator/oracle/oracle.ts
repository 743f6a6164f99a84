import { type Item, type ItemKey, keyIn, keyText } from '../../model/items/item.ts';
import { isKeyName } from '../../model/items/table-names.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Committed, ModelTable } from '../../testing/table-model/model-table.ts';
import { sameValue } from '../../testing/table-model/same-value.ts';
import type { Settings } from '../../worker/ports.ts';
import { Expectations } from './expectations.ts';
import type { Findings } from './findings.ts';
import { type End, isWide, type Relation, relationOf } from './relation.ts';
import { differingNames, ShownVersions } from './shown-versions.ts';
import { type TotalsRelation, totalsOf } from './totals.ts';

interface Naming {
  readonly relation: Relation;
  readonly root: ItemKey;
}

export interface OracleEnvironment {
  readonly table: ModelTable;
  readonly findings: Findings;
  readonly profile: { readonly settings: Pick<Settings, 'recheckDelaySeconds'> };
}

/** Checks every write of the worker as it takes effect (promises 2 and 3). */
export class Oracle {
  readonly expectations: Expectations;
  readonly relations: readonly Relation[];
  readonly totals: readonly TotalsRelation[];
  /** With those of all rules that are deployed in the run: a message says where the rule of its time placed copies. */
  private readonly deployed: readonly Relation[];
  private readonly table: ModelTable;
  private readonly findings: Findings;
  private readonly shown: ShownVersions;
  private readonly bystanders = new Set<string>();
  /** Copies that the worker removed as it may though nothing obliged it to: they came to an old place after a move, or got something after they had stopped naming it. */
  optionalRemovals = 0;

  constructor(
    { rules, aggregates }: Registry,
    { table, findings, profile: { settings } }: OracleEnvironment,
    deployed: readonly Registry[],
  ) {
    this.relations = rules.map((rule) => relationOf(rule));
    this.deployed = deployed.flatMap((one) => one.rules.map((rule) => relationOf(rule)));
    this.totals = aggregates.map((aggregate) => totalsOf(aggregate));
    this.table = table;
    this.findings = findings;
    this.expectations = new Expectations(this.relations, table, settings.recheckDelaySeconds * 1000);
    this.shown = new ShownVersions(table, findings);
  }

  /** An item of no rule: the worker must not write it, whatever kind it is taken for. */
  protect(item: Item): void {
    this.bystanders.add(keyText(keyIn(this.table.names, item)));
  }

  relationsOf(copy: Item): readonly Relation[] {
    return this.relations.filter((relation) => relation.isCopy(copy));
  }

  /** @param isJudge whether a write of the worker is one by these rules */
  note(change: Committed, isJudge: boolean): void {
    if (change.by === 'worker' && isJudge) {
      this.countWrite(change);
      this.checkWrite(change);
    } else if (change.by === 'application' || change.by === 'service')
      for (const relation of this.relationsOf(change.after ?? change.before ?? {}))
        this.shown.forget(relation, change);
    this.expectations.note(change);
  }

  /** Counts a write for each rule that may have made it. */
  private countWrite({ before, after }: Committed): void {
    const item = after ?? before ?? {};
    const names = before === undefined || after === undefined ? undefined : differingNames(before, after);
    const isOf = (writes: (name: string) => boolean) => names === undefined || names.some(writes);
    const its = [...this.relationsOf(item), ...this.totals.filter(({ isTarget }) => isTarget(item))];
    for (const { rule, writes } of its) if (isOf(writes)) this.findings.wrote(rule);
  }

  private checkWrite({ key, before, after }: Committed): void {
    const where = keyText(key);
    if (this.bystanders.has(where)) {
      this.findings.violated(3, 'the worker writes an item of no rule', where);
      return;
    }
    const ledger = this.totals.map((one) => one.ledger).find((one) => one?.isOwn(key));
    if (ledger !== undefined) {
      if (key.sk === 'head' && !ledger.isSum(key, after ?? {}, this.table.items()))
        this.findings.violated(2, 'the worker makes a head that is not the sum of its entries', where);
      return;
    }
    if (before === undefined) {
      if (after !== undefined && !this.isMadeTarget(after)) this.checkCreation(key, after);
      return;
    }
    if (after === undefined && this.totals.some((one) => one.endsEmpty && one.isTarget(before))) {
      this.checkRemovalOfTarget(before, where);
      return;
    }
    // While members change, totals go back and forth: they are checked at rest.
    const isComputed = ({ isTarget, writes }: TotalsRelation) =>
      after !== undefined && isTarget(before) && differingNames(before, after).every(writes);
    if (this.totals.some(isComputed)) return;
    const relations = this.relationsOf(before);
    if (relations.length === 0) {
      this.findings.violated(3, 'the worker writes an item that is no copy', where);
      return;
    }
    const naming = relations.flatMap((relation) => {
      const root = relation.rootOf(before);
      return root === undefined ? [] : [{ relation, root }];
    });
    const unlinking = relations.find((relation) => this.isUnlinking(relation, key, before, after));
    if (unlinking !== undefined) {
      if (this.expectations.of(unlinking, key) === undefined) this.optionalRemovals += 1;
      return;
    }
    const [first] = naming;
    if (first === undefined) {
      this.findings.violated(3, 'the worker writes a copy that names no root', where);
      return;
    }
    if (after === undefined) this.checkRemoval(naming, key, before);
    else {
      const names = differingNames(before, after);
      const { relation, root } =
        naming.find((one) => names.every((name) => one.relation.writes(name))) ?? first;
      if (relation.crosses(root, before))
        this.findings.violated(3, 'the worker writes across tenants', where);
      const touched = names.filter((name) => !relation.writes(name));
      if (touched.length > 0) this.findings.violated(3, `the worker touches ${touched.join()}`, where);
      if (this.shown.isVersion({ relation, root, before, after, where })) return;
      if (!this.isClearing(relation, before, after) || !this.mayEnd(relation, root, before, 'cleared'))
        this.findings.violated(2, 'the worker writes what its root never was, or not there', where);
      if (!this.expectations.mustEnd(relation, root, before)) this.optionalRemovals += 1;
    }
  }

  /** Whether it is a target with totals and nothing else: they may be those of members that have gone since. */
  private isMadeTarget(item: Item): boolean {
    const made = this.totals.some((one) => one.creates && one.isTarget(item));
    return made && this.unwrittenOn(item).length === 0;
  }

  /** Members may come meanwhile, and then it is made again; but what is nobody's to make again must not go with it. */
  private checkRemovalOfTarget(target: Item, where: string): void {
    const others = this.unwrittenOn(target);
    const isListed = (name: string) => this.totals.some((one) => one.isTarget(target) && one.lists(name));
    if (others.some(isListed))
      this.findings.violated(3, 'the worker removes a target with what an application wrote', where);
    else if (others.length > 0) this.findings.excepted('attributes that no condition excludes');
  }

  /** Attributes that no rule and no aggregate writes. */
  unwrittenOn(item: Item): readonly string[] {
    const { names } = this.table;
    const writers = [...this.relationsOf(item), ...this.totals.filter((one) => one.isTarget(item))];
    const isOwn = (name: string) => isKeyName(names, name) || name === names.type;
    return Object.keys(item).filter((name) => !isOwn(name) && !writers.some((one) => one.writes(name)));
  }

  /** A creation has a condition on the root, so the copy is what the root says at that moment. */
  private checkCreation(key: ItemKey, copy: Item): void {
    const { findings, table } = this;
    const where = keyText(key);
    const made = this.relationsOf(copy)
      .map((relation) => ({ relation, named: relation.rootOf(copy) }))
      .map((one) => ({ ...one, root: one.named && table.read(one.named) }))
      .find(({ relation, root }) => root && relation.placed(root).some((one) => keyText(one) === where));
    if (made?.named === undefined || made.root === undefined) {
      findings.violated(3, 'the worker makes an item that no root places there', where);
      return;
    }
    const { relation, named, root } = made;
    const wanted = relation.wanted(root, copy);
    if (wanted === undefined || ![...wanted].every(([name, value]) => sameValue(copy[name], value)))
      findings.violated(2, 'the worker makes a copy that is not what its root says', where);
    const isOwn = (name: string) => isKeyName(table.names, name) || name === table.names.type;
    const others = Object.keys(copy).filter((name) => !isOwn(name) && !relation.writes(name));
    if (others.length > 0) findings.violated(3, `the worker touches ${others.join()}`, where);
    this.shown.created(relation, named, where);
  }

  private checkRemoval(naming: readonly Naming[], key: ItemKey, before: Item): void {
    const where = keyText(key);
    if (naming.every(({ relation, root }) => relation.crosses(root, before)))
      this.findings.violated(3, 'the worker writes across tenants', where);
    if (!naming.some(({ relation, root }) => this.mayEnd(relation, root, before, 'gone')))
      this.findings.violated(3, 'the worker removes a copy that is to stay', where);
    if (!naming.some(({ relation, root }) => this.expectations.mustEnd(relation, root, before)))
      this.optionalRemovals += 1;
  }

  /** Whether the write did what `onUnlink` says of a copy that named a root once, and names none now. */
  private isUnlinking(relation: Relation, key: ItemKey, before: Item, after: Item | undefined): boolean {
    const hasNamed = this.table
      .changesOf(key)
      .some(({ before: one }) => one && relation.isCopy(one) && relation.rootOf(one));
    if (relation.rootOf(before) !== undefined || !hasNamed) return false;
    if (after === undefined) return relation.onUnlink === 'gone';
    return (
      relation.onUnlink === 'cleared' &&
      differingNames(before, after).every(relation.writes) &&
      this.isClearing(relation, before, after)
    );
  }

  /** Whether the write did nothing but take away what had been copied, as far as it could know of it. */
  private isClearing(relation: Relation, before: Item, after: Item): boolean {
    if (differingNames(before, after).some((name) => after[name] !== undefined)) return false;
    if (Object.keys(after).some((name) => relation.writes(name)))
      this.findings.excepted(
        isWide(before) ? 'writes of a part of a very wide copy' : 'attributes that no condition excludes',
      );
    return true;
  }

  /** Whether a copy may come to this end: its root went, or moved away from it, under a policy that says so. */
  private mayEnd(relation: Relation, rootKey: ItemKey, copy: Item, end: End): boolean {
    const there = this.table.read(rootKey);
    // An item of another kind is no root: it says nothing of copies.
    const root = there && relation.isRoot(there) ? there : undefined;
    const changes = this.table.changesOf(rootKey);
    const versions = this.table.versionsOf(rootKey).filter(relation.isRoot);
    if (root !== undefined && relation.isExcluded(root)) return relation.onDelete === end;
    // Also a root that cannot tell whether the rule applies to it has its copies, and takes them with it.
    const locatedHere = this.deployed.some(
      (one) => one.rule === relation.rule && versions.some((item) => one.isLocated(item, copy) === true),
    );
    if (!locatedHere) return false;
    if (root !== undefined) return relation.locations(root, copy) === false && relation.onDelete === end;
    const ends = changes
      .filter((change) => {
        const { before, after } = relation.rootIn(change);
        return before !== undefined && after === undefined;
      })
      .map(({ by }) => (by === 'service' ? relation.onExpire : relation.onDelete));
    const moved =
      relation.onDelete === end && versions.some((item) => relation.locations(item, copy) === false);
    if (ends.at(-1) === end || moved) return true;
    if (!ends.includes(end)) return false;
    this.findings.excepted('removals of another incarnation');
    return true;
  }
}
