import { canonicalMap } from '../../../../model/attribute-value.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../../../model/item.ts';
import { isOfKind } from '../../../../model/kind.ts';
import { faultsOnCopy, faultsOnRoot } from '../../purity.ts';
import type { Committed, ModelTable } from '../../table-model/model-table.ts';
import { sameValue } from '../../table-model/same-value.ts';
import type { Findings } from '../oracle/findings.ts';
import type { Observed } from '../world/setting.ts';
import { isMadeFor, placeOf, rootNamed } from './copy-recipe.ts';
import type { Project, SimulatedRule } from './project.ts';

/** The number of this promise in docs/proofs.md: the functions of rules keep to what they may do. */
const promise = 9;

/**
 * Calls the functions of the rules for every item as it is written, apart from the worker: they must be pure, accept what the
 * schemas accept, and agree with one another. Remembers their results, because state between calls shows only in another order.
 */
export class RuleWatch {
  private readonly project: Project;
  private readonly results = new Map<string, string>();

  constructor(project: Project) {
    this.project = project;
  }

  note(change: Committed, { table, findings }: Observed): void {
    const { key, before, after } = change;
    if (after === undefined) return;
    for (const rule of this.project.rules) {
      const { relation } = rule;
      if (relation.isRoot(key, after)) {
        this.checkRoot(rule, table, before, after, findings);
        for (const copy of rule.rule.located.in === 'itself' ? [] : copiesOf(table, rule, key))
          this.checkCopy(rule, after, copy, findings);
      } else if (relation.isCopy(after)) {
        const named = relation.rootOf(after);
        const root = named && table.read(named);
        const isRoot = root !== undefined && named !== undefined && relation.isRoot(named, root);
        this.checkCopy(rule, isRoot ? root : undefined, after, findings);
        if (change.by === 'application') this.checkName(rule, table, after, findings);
      }
    }
  }

  private checkRoot(
    rule: SimulatedRule,
    table: ModelTable,
    before: Item | undefined,
    after: Item,
    findings: Findings,
  ): void {
    const where = `${rule.rule.name} ${keyText(keyIn(table.names, after))}`;
    for (const { what } of faultsOnRoot(table.names, rule.rule, after))
      findings.violated(promise, what, where);
    this.remember(
      rule,
      'located.at',
      after,
      undefined,
      placeOf(this.project.registry, rule.rule, after),
      findings,
    );
    if (before !== undefined) this.checkMove(rule, before, after, where, findings);
  }

  /** A copied attribute that decides where copies are never reaches one: those at the old location are not moved. */
  private checkMove(
    { rule }: SimulatedRule,
    before: Item,
    after: Item,
    where: string,
    findings: Findings,
  ): void {
    const { registry } = this.project;
    if (rule.copies === 'all') return;
    const place = placeOf(registry, rule, before);
    for (const name of rule.copies) {
      const value = after[name];
      if (place === undefined || value === undefined || sameValue(before[name], value)) continue;
      const moved = placeOf(registry, rule, { ...before, [name]: value });
      if (moved !== undefined && JSON.stringify(moved) !== JSON.stringify(place))
        findings.violated(
          promise,
          `located.at depends on '${name}', which the rule copies: no copy is at the new location, so its change reaches none. Locate copies by what does not change`,
          where,
        );
    }
  }

  private checkCopy(rule: SimulatedRule, root: Item | undefined, copy: Item, findings: Findings): void {
    const { table } = this.project.registry;
    const where = `${rule.rule.name} ${keyText(keyIn(table, copy))}`;
    for (const { what } of faultsOnCopy(table, rule.rule, root, copy))
      findings.violated(promise, what, where);
    if (root === undefined) return;
    const wanted = rule.relation.wanted(root, copy);
    const derived = Object.keys(rule.rule.derive).map((name) => [name, wanted?.get(name)]);
    this.remember(rule, 'derive', root, copy, derived, findings);
  }

  /** What an application writes as a copy of a root must name that root. */
  private checkName(rule: SimulatedRule, table: ModelTable, copy: Item, findings: Findings): void {
    const { recipe, certain, relation } = rule;
    const { registry } = this.project;
    if (recipe === undefined || !certain) return;
    const named = rootNamed(registry, rule.rule, copy);
    if (named === undefined) return;
    for (const root of table.items()) {
      const key = keyIn(table.names, root);
      if (!relation.isRoot(key, root) || keyText(key) === keyText(named)) continue;
      if (relation.locations(root, copy) !== true || !isMadeFor(registry, rule.rule, recipe, root, copy))
        continue;
      findings.violated(
        promise,
        'located.at of a root finds a copy whose rootOf gives another root: give each root its own copies, or correct rootOf',
        `${rule.rule.name} ${keyText(keyIn(table.names, copy))} of ${keyText(key)}`,
      );
    }
  }

  private remember(
    rule: SimulatedRule,
    name: string,
    root: Item,
    copy: Item | undefined,
    result: unknown,
    findings: Findings,
  ): void {
    const asked = `${rule.rule.name} ${name} ${canonicalMap(root)} ${copy === undefined ? '' : canonicalMap(copy)}`;
    const text = JSON.stringify(result) ?? 'nothing';
    const before = this.results.get(asked);
    if (before === undefined) this.results.set(asked, text);
    else if (before !== text)
      findings.violated(
        promise,
        `${name} gives another result than before for the same items: it must not keep anything between calls`,
        rule.rule.name,
      );
  }
}

function copiesOf(table: ModelTable, { relation, rule }: SimulatedRule, root: ItemKey): Item[] {
  return table.items().filter((item) => {
    const named = isOfKind(table.names, rule.copy, item) ? relation.rootOf(item) : undefined;
    return named !== undefined && keyText(named) === keyText(root);
  });
}
