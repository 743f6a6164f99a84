import { patternsOf, type StackSettings, type StreamMappingSettings } from '../../deploy/stack-settings.ts';
import { eventFilter } from '../../dev/event-source/event-filter.ts';
import { laneOf } from '../../dev/event-source/shard-delivery.ts';
import type { ExampleChange } from '../../examples/example-changes.ts';
import { chunksOf } from '../../model/basics/chunks-of.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { Change } from '../../model/items/change.ts';
import { type Item, keyIn, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { lambdaChange, ModelTable } from '../../testing/table-model/model-table.ts';
import { ModelTablePort } from '../../testing/table-model/model-table-port.ts';
import { defaultSettings, type Settings, type TablePort } from '../../worker/ports.ts';
import { askedBy, plannedRounds } from '../dry-run/planner.ts';
import type { PricedSteps } from '../dry-run/priced-table.ts';
import { assumed, type Counts, processorMs } from './prices.ts';

/** Of the table's adapter: requests under way at once. */
const atOnce = 8;

/** What a page of a query holds at most, in bytes. Source: AWS, "Quotas", Query. */
const maxPage = 2 ** 20;

/**
 * Counts what the worker asks of AWS for a change: its own propagations and checks on a model of the table, with its writes
 * coming back on the stream in the batches that lanes, batch size and filters of the stack make.
 * @throws DenormError `cost.unfinished` if something is dead-lettered
 */
export async function countChange(
  { registry, stack }: { readonly registry: Registry; readonly stack: StackSettings },
  { before, after, others, itemBytes }: ExampleChange,
): Promise<Counts> {
  const names = registry.table;
  const { Propagate, Archive } = stack;
  let archiveInvocations = 0;
  const batchesOf = (changes: readonly Change[]) => {
    if (Archive !== undefined) archiveInvocations += batchesIn(Archive, registry, changes).length;
    return batchesIn(Propagate, registry, changes);
  };
  const change: Change = {
    key: keyIn(names, after),
    before,
    after,
    sequence: 0n,
    expired: false,
    at: undefined,
  };
  const table = tableOf(registry, [...others, after], Math.max(1, Math.floor(maxPage / itemBytes)));
  const asked = batchesOf([change]).map((batch) => askedBy(registry, batch));
  const rounds = await plannedRounds({ registry, table, settings: settingsOf(stack), batchesOf }, asked);
  const batches = rounds.flat();
  const work = batches.flatMap((batch) => batch.work);
  const [letter] = work.flatMap(({ deadLettered }) => deadLettered);
  if (letter !== undefined)
    throw new DenormError(
      'cost.unfinished',
      `Expected a change that the worker propagates, but it was dead-lettered (${letter.code}): ${letter.reason}`,
    );
  const deliveries = work.flatMap((one) => one.deliveries);
  // A propagation begins in the invocation that its record brings; what it sends is delivered by invocations of their own.
  const messages = deliveries.length - work.filter(({ deliveries: [first] }) => !first?.delaySeconds).length;
  const priced = [...batches.map(({ askedOfChecks }) => askedOfChecks), ...deliveries];
  const steps = priced.flatMap((one) => one.steps);
  const writes = steps.filter(
    ({ does }) => does !== 'read' && does !== 'query' && does !== 'condition',
  ).length;
  const working = batches.length + messages;
  const invocations = working + archiveInvocations;
  return {
    readUnits: steps.reduce((sum, step) => sum + ('readUnits' in step ? step.readUnits : 0), 0),
    writeUnits: steps.reduce((sum, step) => sum + ('writeUnits' in step ? step.writeUnits.total : 0), 0),
    requests: priced.reduce((sum, { requests }) => sum + requests.reduce((all, one) => all + one, 0), 0),
    writes,
    invocations,
    logBytes: working * assumed.logBytes,
    // Sent, received and deleted.
    sqsRequests: 3 * messages,
    milliseconds:
      invocations * assumed.invocation +
      priced.reduce((sum, one) => sum + waitFor(one), 0) +
      processorMs(writes),
  };
}

function waitFor({ requests }: PricedSteps): number {
  return requests.reduce((sum, one) => sum + Math.ceil(one / atOnce) * assumed.request, 0);
}

/** @param perPage items of a page at most */
function tableOf(registry: Registry, items: readonly Item[], perPage: number): TablePort {
  const model = new ModelTable(registry.table);
  for (const item of items) model.put(item);
  return new (class extends ModelTablePort {
    override query(...[location, limit, from, whole]: Parameters<TablePort['query']>) {
      return super.query(location, Math.min(limit, perPage), from, whole);
    }
  })(model);
}

/** The batches of a function: records that its filters pass, by item to the lanes of one shard. */
function batchesIn(mapping: StreamMappingSettings, { table }: Registry, changes: readonly Change[]) {
  const matches = eventFilter(patternsOf(mapping));
  const passing = changes.filter((change) =>
    matches(lambdaChange(table, { ...change, by: 'application', at: 0 })),
  );
  const lanes = Map.groupBy(passing, ({ key }) => laneOf(keyText(key), mapping.ParallelizationFactor));
  return [...lanes.values()].flatMap((lane) => chunksOf(lane, mapping.BatchSize));
}

/** What is counted does not depend on how fast it is written. */
function settingsOf({ pageLimit, recheckDelaySeconds }: StackSettings): Settings {
  return { ...defaultSettings, pageLimit, recheckDelaySeconds, fanOutWriteUnits: Number.POSITIVE_INFINITY };
}
