import { changesOf, type PricedStep, type PricedTable } from '../../develop/dev/dry-run/priced-table.ts';
import type { Change } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ArchiveReport } from '../../model/report.ts';
import { archiveBatch } from '../../worker/archive/archive-batch.ts';
import type { ArchivePort } from '../../worker/archive/ports.ts';
import { onceEachTarget } from '../../worker/propagation/compute-batch.ts';
import { matchRules } from '../../worker/propagation/plan/match.ts';
import { matchAggregates } from '../../worker/propagation/plan/match-aggregates.ts';
import { isCovered, messageFor } from '../../worker/propagation/propagate-batch.ts';
import type { PlannedCheck, PlannedPropagation, PlannedWorker } from './planned-worker.ts';

/** What the worker would do about changes that arrive together. */
export interface Round {
  readonly changes: number;
  readonly propagations: readonly PlannedPropagation[];
  readonly check: PlannedCheck | undefined;
  readonly archived: readonly PlannedArchiving[];
}

/** The environment of a plan. */
export interface Stage {
  readonly registry: Registry;
  readonly worker: PlannedWorker;
  readonly archive: Pick<ArchivePort, 'head'> | undefined;
}

/** Rules do not form cycles, but a chain of them may take a few rounds. This limit stops an endless one. */
const maxRounds = 10;

/** Records that arrive together, as in the template's mapping of Propagate: a larger batch only reads fewer roots twice. */
export const templateBatchSize = 200;

/** What the worker would do about these changes. */
export async function roundOf(stage: Stage, changes: readonly Change[]): Promise<Round> {
  const { registry, worker, archive } = stage;
  const groups = [...Map.groupBy(changes, ({ key }) => keyText(key)).values()];
  const matches = groups.map((group) => matchRules(registry, group));
  const matched = matches.flatMap((one) => one.propagations);
  const checks = matches.flatMap((one) => one.checks).filter((one) => !isCovered(stage, one, matched));
  // The archive reads the stream independently. Plan it first, so that it sees the table as the event left
  // it.
  const archived: PlannedArchiving[] = [];
  for (const group of groups) {
    const planned = await planArchiving(registry, worker.table, archive, group);
    if (planned !== undefined) archived.push(planned);
  }
  const propagations: PlannedPropagation[] = [];
  for (const propagation of matched) propagations.push(await worker.propagate(messageFor(propagation)));
  const check = checks.length === 0 ? undefined : await worker.check(checks);
  for (const { message } of check?.propagations ?? []) propagations.push(await worker.propagate(message));
  const computations = groups.flatMap((group) => matchAggregates(registry, group).computations);
  for (const { aggregate, message } of onceEachTarget(computations))
    propagations.push(await worker.propagate(message, aggregate.every));
  return { changes: changes.length, propagations, check, archived };
}

/** The rounds that follow: each write appears on the stream and may match again, until nothing is written. */
export async function roundsAfter(
  stage: Stage,
  first: readonly PlannedPropagation[],
  batchSize = templateBatchSize,
): Promise<Round[]> {
  const rounds: Round[] = [];
  let written = writesOf(stage, first);
  while (written.length > 0 && rounds.length < maxRounds) {
    const batches: Round[] = [];
    for (let start = 0; start < written.length; start += batchSize)
      batches.push(await roundOf(stage, written.slice(start, start + batchSize)));
    const round = together(batches);
    rounds.push(round);
    written = writesOf(stage, round.propagations);
  }
  return rounds;
}

function together(batches: readonly Round[]): Round {
  const checks = batches.flatMap(({ check }) => check ?? []);
  return {
    changes: batches.reduce((sum, { changes }) => sum + changes, 0),
    propagations: batches.flatMap(({ propagations }) => propagations),
    check:
      checks.length === 0
        ? undefined
        : {
            copies: checks.reduce((sum, { copies }) => sum + copies, 0),
            steps: checks.flatMap(({ steps }) => steps),
            propagations: checks.flatMap(({ propagations }) => propagations),
          },
    archived: batches.flatMap(({ archived }) => archived),
  };
}

function writesOf({ registry }: Stage, propagations: readonly PlannedPropagation[]): Change[] {
  const steps = propagations.flatMap(({ parts }) => parts.flatMap((part) => part.steps));
  return changesOf(registry.table, steps);
}

/** A request to the archive. `head` is really sent if there is an archive; the others are not. */
export type ArchiveStep =
  | { readonly does: 'head'; readonly objectKey: string }
  | { readonly does: 'put'; readonly objectKey: string; readonly replaces: boolean }
  | { readonly does: 'erase'; readonly objectKey: string };

/** How an item would be archived: the requests to the archive, and the cost of reading the item. */
export interface PlannedArchiving {
  readonly report: ArchiveReport | undefined;
  readonly asked: readonly ArchiveStep[];
  readonly steps: readonly PricedStep[];
}

/**
 * Plans how the changes of one item would be archived, or returns undefined if the archive ignores them.
 * @param archive where to look up objects. Undefined means that no object exists
 */
export async function planArchiving(
  registry: Registry,
  table: PricedTable,
  archive: Pick<ArchivePort, 'head'> | undefined,
  changes: readonly Change[],
): Promise<PlannedArchiving | undefined> {
  const asked: ArchiveStep[] = [];
  const reports: ArchiveReport[] = [];
  let failure: unknown;
  await archiveBatch(
    {
      ...{ registry, table, concurrency: 1 },
      archive: {
        async head(objectKey) {
          asked.push({ does: 'head', objectKey });
          return archive?.head(objectKey);
        },
        async put(objectKey, _, replaces) {
          asked.push({ does: 'put', objectKey, replaces: replaces !== undefined });
          return true;
        },
        async erase(objectKey) {
          asked.push({ does: 'erase', objectKey });
        },
      },
      queue: { async deadLetter() {} },
      telemetry: {
        ...{ propagated() {}, checked() {}, deadLettered() {}, fellBack() {} },
        archived: (report) => reports.push(report),
        failed: (error) => {
          failure ??= error;
        },
      },
      // A plan needs no unique nonce.
      nonce: () => new Uint8Array(8),
    },
    changes.map((change, index) => ({ id: String(index), says: change })),
  );
  if (failure !== undefined) throw failure;
  const steps = table.take();
  return asked.length === 0 && reports.length === 0 ? undefined : { report: reports.at(-1), asked, steps };
}
