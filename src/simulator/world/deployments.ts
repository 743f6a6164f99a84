import type { Item } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { Committed } from '../../testing/table-model/model-table.ts';
import { Oracle, type OracleEnvironment } from '../oracle/oracle.ts';

export interface RulesOfRun {
  readonly registry: Registry;
  /** What is deployed in mid-run, and taken back: other rules for the same kinds. */
  readonly next?: Registry | undefined;
}

interface Deployment {
  readonly registry: Registry;
  readonly oracle: Oracle;
}

/** The sets of rules of a run, one of which is deployed. Each has an oracle: the state at rest is judged by the last. */
export class Deployments {
  private readonly all: readonly Deployment[];
  private deployed: Deployment;
  /** The rules by which the worker writes now. */
  private acting: Registry | undefined;

  constructor({ registry: first, next }: RulesOfRun, environment: OracleEnvironment) {
    const registries = next === undefined ? [first] : [first, next];
    const deploymentOf = (registry: Registry) => ({
      registry,
      oracle: new Oracle(registry, environment, registries),
    });
    this.deployed = deploymentOf(first);
    this.all = [this.deployed, ...registries.slice(1).map(deploymentOf)];
  }

  get registry(): Registry {
    return this.deployed.registry;
  }

  get oracle(): Oracle {
    return this.deployed.oracle;
  }

  get oracles(): readonly Oracle[] {
    return this.all.map(({ oracle }) => oracle);
  }

  /**
   * Of what is on its way, only what both ask for is certain.
   * @returns false if there are no others
   */
  swap(): boolean {
    const other = this.all.find((one) => one !== this.deployed);
    if (other === undefined) return false;
    other.oracle.expectations.keepOnly(this.oracle.expectations);
    this.deployed = other;
    return true;
  }

  /** An invocation writes by the rules with which it began, whatever is deployed meanwhile. */
  by<T>(registry: Registry, write: () => T): T {
    this.acting = registry;
    try {
      return write();
    } finally {
      this.acting = undefined;
    }
  }

  note(change: Committed): void {
    const judge = this.acting ?? this.registry;
    for (const { registry, oracle } of this.all) oracle.note(change, registry === judge);
  }

  protect(item: Item): void {
    for (const { oracle } of this.all) oracle.protect(item);
  }

  /** Whether an index may have hidden copies of a rule. */
  isIndexed(name: string): boolean {
    return this.all.some(({ registry }) => registry.rule(name)?.located.in === 'index');
  }
}
