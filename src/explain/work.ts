import { visible, word } from '../model/basics/text.ts';
import { changedNames } from '../model/items/change.ts';
import { locationText, type QueriedLocation } from '../model/items/copy-location.ts';
import { itemToJson } from '../model/items/dynamodb-json.ts';
import { attribute, type Item, keyAsJson, keyText, sameKey } from '../model/items/item.ts';
import type { TableNames } from '../model/items/table-names.ts';
import type { Registry } from '../model/rules/registry.ts';
import { isCreation } from '../model/work/guarded-write.ts';
import type { WouldWrite } from './dry-run/overlaid-table.ts';
import type { PlannedBatch, PlannedWork } from './dry-run/planner.ts';
import type { PricedStep } from './dry-run/priced-table.ts';
import type {
  ExplainedCost,
  ExplainedRound,
  ExplainedWork,
  ExplainedWrite,
  NamedWrite,
} from './explanation.ts';

/**
 * A round of batches as JSON shows it.
 * @param values whether to show item content
 */
export function explainedRound(
  registry: Registry,
  batches: readonly PlannedBatch[],
  values: boolean,
): ExplainedRound {
  const sum = (count: (batch: PlannedBatch) => number) =>
    batches.reduce((total, batch) => total + count(batch), 0);
  return {
    records: sum(({ records }) => records),
    checks: sum(({ checks }) => checks),
    costOfChecks: costOf(
      registry.table,
      batches.flatMap(({ askedOfChecks }) => askedOfChecks.steps),
    ),
    work: batches.flatMap(({ work }) => work.map((one) => explainedWork(registry, one, values))),
  };
}

function explainedWork(registry: Registry, planned: PlannedWork, values: boolean): ExplainedWork {
  const { message, deliveries, deadLettered, notFollowed } = planned;
  const { rule, root, cause } = message;
  // A recheck finds the same copies again.
  const looks = deliveries.filter((one) => one.message.recheck !== true);
  const count = (name: 'written' | 'removed' | 'unchanged' | 'orphans' | 'foreign' | 'skipped' | 'absent') =>
    looks.reduce((sum, { report }) => sum + report[name], 0);
  const computes = registry.aggregate(rule) !== undefined;
  const steps = deliveries.flatMap((one) => one.steps);
  return {
    rule,
    computes,
    key: root,
    cause,
    where: whereOf(registry, planned),
    found: {
      written: count('written'),
      removed: count('removed'),
      unchanged: count('unchanged'),
      orphans: count('orphans'),
      foreign: count('foreign'),
      skipped: count('skipped'),
      absent: count('absent'),
      members: computes ? foundIn(looks.flatMap((one) => one.steps)) : 0,
    },
    messages: Math.max(0, deliveries.length - 1),
    cost: costOf(registry.table, steps),
    writes: steps.flatMap((step) => writeOf(step, values)),
    deadLettered: deadLettered.map(({ code, reason }) => `${code}: ${reason}`),
    notFollowed: notFollowed.filter(({ recheck }) => recheck !== true).length,
  };
}

function foundIn(steps: readonly PricedStep[]): number {
  return steps.reduce((sum, step) => sum + (step.does === 'query' ? step.found : 0), 0);
}

/** What it queries, or else the keys that it reads beside the root. */
function whereOf(registry: Registry, { message: { rule, root }, deliveries }: PlannedWork): string[] {
  if (registry.rule(rule)?.located.in === 'itself') return ['the item itself'];
  const steps = deliveries.flatMap((delivery) => delivery.steps);
  const queried = new Map<string, QueriedLocation>();
  for (const step of steps)
    if (step.does === 'query') queried.set(locationText(step.location), step.location);
  if (queried.size > 0) return [...queried.values()].map(locationWords);
  const read = new Map(
    steps.flatMap((step) => (step.does === 'read' ? [[keyText(step.key), step.key]] : [])),
  );
  const others = [...read.values()].filter((key) => !sameKey(key, root));
  if (others.length === 0) return [];
  return [
    `${others.length > 1 ? 'the keys' : 'the key'} ${others.map((key) => visible(keyAsJson(registry.table, key))).join(', ')}`,
  ];
}

function locationWords(location: QueriedLocation): string {
  const { pk, sk = [], begins, from, to } = location;
  const where = location.in === 'index' ? `index ${location.index}, partition` : 'the partition';
  return [
    `${where} ${[pk].flat().map(word).join(' + ')}`,
    ...(sk.length === 0 ? [] : [`sort key ${sk.map(word).join(' + ')}`]),
    ...(begins === undefined ? [] : [`sort keys that begin with ${word(begins)}`]),
    ...(from === undefined ? [] : [`from ${word(from)}`]),
    ...(to === undefined ? [] : [`to ${word(to)}`]),
  ].join(', ');
}

function costOf(table: TableNames, steps: readonly PricedStep[]): ExplainedCost {
  return sumOf(
    steps.map((step) =>
      'readUnits' in step
        ? { readUnits: step.readUnits, writeUnits: { table: 0, indexes: {}, total: 0 } }
        : { readUnits: 0, writeUnits: step.writeUnits },
    ),
    table,
  );
}

export function sumOf(costs: readonly ExplainedCost[], { indexes }: TableNames): ExplainedCost {
  const sum = (units: (cost: ExplainedCost) => number) =>
    costs.reduce((total, cost) => total + units(cost), 0);
  return {
    readUnits: sum(({ readUnits }) => readUnits),
    writeUnits: {
      table: sum(({ writeUnits }) => writeUnits.table),
      indexes: Object.fromEntries(
        Object.values(indexes).map(({ name }) => [
          name,
          sum(({ writeUnits }) => writeUnits.indexes[name] ?? 0),
        ]),
      ),
      total: sum(({ writeUnits }) => writeUnits.total),
    },
  };
}

function writeOf(step: PricedStep, values: boolean): ExplainedWrite[] {
  if (step.does !== 'write') return [];
  const { before = {}, after = {}, writeUnits } = step;
  return [{ ...namedWrite(step), writeUnits, ...(values && { values: valuesOf(before, after) }) }];
}

export function namedWrite({ write, root }: WouldWrite): NamedWrite {
  const { key } = write;
  const { expect: ofRoot } = root ?? {};
  const rooted = ofRoot !== undefined &&
    ofRoot !== 'head' &&
    ofRoot !== 'none' && { root: ofRoot === 'absent' ? ofRoot : namesOf(ofRoot) };
  if ('set' in write) {
    const { set, remove, expect } = write;
    return { does: 'update', key, set: namesOf(set), remove: remove.toSorted(), expect: namesOf(expect) };
  }
  if (isCreation(write)) return { does: 'create', key, set: namesOf(write.item), remove: [], ...rooted };
  const { clear = [], expect } = write;
  const does = write.clear === undefined ? 'delete' : 'clear';
  return { does, key, set: [], remove: clear.toSorted(), expect: namesOf(expect), ...rooted };
}

function namesOf(attributes: object): string[] {
  return Object.keys(attributes).sort();
}

function valuesOf(before: Item, after: Item): NonNullable<ExplainedWrite['values']> {
  const names = changedNames({ before, after });
  return Object.fromEntries(
    names.map((name) => [name, { was: jsonOf(before, name), is: jsonOf(after, name) }]),
  );
}

function jsonOf(item: Item, name: string): unknown {
  const value = attribute(item, name);
  return value === undefined ? null : Object.values(itemToJson({ value }))[0];
}
