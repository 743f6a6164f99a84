import type { Item } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import type { Registry } from '../../../src/model/rules/registry.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { type Backfill, backfill } from '../../../src/operate/drift/backfill.ts';
import {
  nothing,
  outcomeCounts,
  Propagations,
  type PropagationsOptions,
  type PropagationsOutcome,
} from '../../../src/operate/drift/repair.ts';
import { ModelScan } from '../../../src/testing/table-model/model-scan.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { ModelTablePort } from '../../../src/testing/table-model/model-table-port.ts';
import { unlimited } from '../../../src/worker/budget.ts';
import { type ScanPort, silentTelemetry } from '../../../src/worker/ports.ts';
import { type ScanPoint, wholeTable } from '../../../src/worker/scan/scan-table.ts';
import type { Drift } from '../../../src/worker/verify/drift.ts';
import { type VerifyState, verifyFrom } from '../../../src/worker/verify/verify-state.ts';
import { type TableSearch, verifyTable } from '../../../src/worker/verify/verify-table.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { world } from '../../fixtures/world/rules.ts';

/** A search over the models, and what it has found so far. */
export class ModelSearch {
  readonly clock = new VirtualClock();
  readonly table: ModelTable;
  readonly port: ModelTablePort;
  readonly scan: ModelScan;
  readonly found: Drift[] = [];
  readonly registry: Registry;

  constructor(items: readonly Item[], registry: Registry = world()) {
    this.registry = registry;
    this.table = new ModelTable(registry.table, () => this.clock.now());
    for (const item of items) this.table.put(item);
    this.port = new ModelTablePort(this.table);
    this.scan = new ModelScan(this.table);
  }

  async run(options: Partial<TableSearch> = {}, from?: VerifyState): Promise<VerifyState> {
    const [selection = this.registry] = options.passes ?? [];
    return verifyTable(this.search(options), from ?? verifyFrom(wholeTable(3), selection));
  }

  search(options: Partial<TableSearch> = {}): TableSearch {
    return {
      registry: this.registry,
      passes: [this.registry],
      table: this.port,
      scan: this.scan,
      orphans: 'unexplained',
      clock: this.clock,
      grace: 5000,
      budget: unlimited(this.clock),
      concurrency: 2,
      stop: () => false,
      onDrift: async (found) => {
        this.found.push(...found);
      },
      ...options,
    };
  }

  /** Turns over the same table. */
  propagations(options: Partial<PropagationsOptions> = {}): Propagations {
    return new Propagations({
      registry: this.registry,
      table: this.port,
      clock: this.clock,
      telemetry: silentTelemetry,
      concurrency: 4,
      allowRemove: false,
      stop: () => false,
      ...options,
    });
  }

  /** A backfill of one rule, with the sums of what its propagations did. */
  async backfill(
    rule: Rule | Aggregate,
    options: Partial<Backfill> = {},
    from: VerifyState = verifyFrom(wholeTable(4)),
  ) {
    const { registry, clock, scan } = this;
    const stop = options.stop ?? (() => false);
    let outcome = nothing;
    const state = await backfill(
      {
        ...{
          registry,
          rule: bound(rule, registry.table),
          propagations: this.propagations({ stop }),
          scan,
          clock,
          stop,
        },
        ...{ budget: unlimited(clock), concurrency: 2, ...options },
        onOutcome: (more) => {
          outcome = added(outcome, more);
        },
      },
      from,
    );
    return { ...outcome, items: state.items, state };
  }

  drift(): Drift[] {
    return this.found;
  }

  /** `kind rule pk sk attributes` of all that was found, in order. */
  lines(): string[] {
    return this.drift()
      .map(({ kind, rule, copy, attributes, unmapped }) =>
        [
          `${kind} ${rule} ${copy.pk} ${copy.sk}`,
          attributes.length > 0 ? `: ${attributes.join()}` : '',
          unmapped.length > 0 ? ` (unmapped ${unmapped.join()})` : '',
        ].join(''),
      )
      .toSorted();
  }
}

/** A scan whose pages hold two items, and arrive together. */
export function inSmallPages(scan: ScanPort): ScanPort {
  let arrival: Promise<void> | undefined;
  return {
    async scan(segment, _, from) {
      arrival ??= new Promise<void>((resolve) => setImmediate(resolve)).finally(() => {
        arrival = undefined;
      });
      await arrival;
      return scan.scan(segment, 2, from);
    },
  };
}

/** How many items a scan has passed. */
export async function itemsBefore(scan: ScanPort, { segments }: ScanPoint): Promise<number> {
  const counts = segments.map(async ({ index, of, from, done }) => {
    const all = (await scan.scan({ index, of }, Number.POSITIVE_INFINITY)).entries;
    const ahead = done ? [] : (await scan.scan({ index, of }, Number.POSITIVE_INFINITY, from)).entries;
    return all.length - ahead.length;
  });
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
}

/** The sum of two results. */
export function added(one: PropagationsOutcome, other: PropagationsOutcome): PropagationsOutcome {
  const sum = { ...one, leftAlone: [...one.leftAlone, ...other.leftAlone] };
  for (const name of outcomeCounts) Object.assign(sum, { [name]: one[name] + other[name] });
  return { ...sum, unfinished: [...one.unfinished, ...other.unfinished] };
}
