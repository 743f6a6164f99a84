import type { StackSettings } from '../../deploy/stack-settings.ts';
import { type ExampleChange, exampleChanges } from '../../examples/example-changes.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { BoundAggregate, BoundRule } from '../../model/rules/bound-rule.ts';
import { type Registry, registryOfOne } from '../../model/rules/registry.ts';
import { countChange } from './count-change.ts';
import { type Counts, dollarsOfAMillion } from './prices.ts';

interface CostOptions {
  readonly stack: StackSettings;
  readonly registry: Registry;
  readonly fanOuts: readonly number[];
  /** Smaller items are padded to this size, in bytes. */
  readonly itemBytes: number;
}

export type RuleCost = Awaited<ReturnType<typeof costOf>>;
export type ChangeCost = RuleCost['fanOuts'][number];

/** How copies share lanes differs by root, so that several change, fewer where each has many copies. */
function runsOf(fanOut: number): number {
  return Math.min(20, Math.ceil(200 / fanOut));
}

/**
 * Alone on its table, each change long after the one before: what comes together would share invocations.
 * @throws DenormError `cost.items` if no items can be made; `cost.unfinished` if they are not propagated
 */
export async function costOf(rule: BoundRule | BoundAggregate, options: CostOptions) {
  const { stack, registry, fanOuts, itemBytes } = options;
  const isAggregate = rule.is === 'aggregate';
  const alone = registryOfOne(rule, registry.archives);
  const changes = exampleChanges(rule, itemBytes);

  async function average(count: number, change: (index: number) => ExampleChange) {
    const examples = Array.from({ length: count }, (_, index) => change(index));
    const all: Counts[] = [];
    for (const example of examples) {
      const counts = await countChange({ registry: alone, stack }, example);
      requireWritten(rule, counts.writes, isAggregate ? 1 : example.fanOut);
      all.push(counts);
    }
    const counts = averageOf(all);
    const cost = {
      /** The copies of the root, or the members of the target. */
      fanOut: examples[0]?.fanOut ?? 0,
      counts,
      /** Of a million changes. Every handler pays for the writes; a transaction pays twice. */
      dollars: dollarsOfAMillion(counts),
    };
    return { cost, examples };
  }

  const about: ExampleChange[] = [];
  const rows = new Map<number, Awaited<ReturnType<typeof average>>['cost']>();
  for (const fanOut of fanOuts) {
    const { cost, examples } = await average(runsOf(fanOut), (index) => changes.change(fanOut, index));
    about.push(...examples);
    rows.set(cost.fanOut, cost);
  }
  const { creation } = changes;
  const created = creation && (await average(runsOf(1), creation)).cost;
  return {
    rule,
    /** The attributes of the root or the member that change, each once; undefined if members are added, because none changes a total. */
    attributes: [...new Set(about.map(({ attribute }) => attribute))],
    /** Of a copy or a member, in bytes. */
    itemBytes: about[0]?.itemBytes ?? itemBytes,
    fanOuts: [...rows.values()],
    /** What a new root costs, whose copies the rule creates. */
    ...(created && { created }),
  };
}

function averageOf(all: readonly Counts[]): Counts {
  const mean = (name: keyof Counts) => all.reduce((sum, counts) => sum + counts[name], 0) / all.length;
  return {
    readUnits: mean('readUnits'),
    writeUnits: mean('writeUnits'),
    requests: mean('requests'),
    invocations: mean('invocations'),
    milliseconds: mean('milliseconds'),
    sqsRequests: mean('sqsRequests'),
    logBytes: mean('logBytes'),
    writes: mean('writes'),
  };
}

/** A rule whose records no filter passes would cost nothing. */
function requireWritten({ name }: BoundRule | BoundAggregate, written: number, expected: number): void {
  if (written >= expected) return;
  throw new DenormError(
    'cost.unfinished',
    `Expected the worker to write ${expected} items by ${name}, found ${written} writes: let the filters of Propagate in template.extra.yaml pass the rule's records, as \`denorm dev\` checks`,
    { rule: name },
  );
}
