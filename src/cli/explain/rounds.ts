import type { ArchivePort } from '../../archive/ports.ts';
import { changesOf } from '../../dev/dry-run/priced-table.ts';
import type { Change } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { matchRules } from '../../propagation/plan/match.ts';
import { isCovered, messageFor } from '../../propagation/propagate-batch.ts';
import { type PlannedArchiving, planArchiving } from './planned-archive.ts';
import type { PlannedCheck, PlannedPropagation, PlannedWorker } from './planned-worker.ts';

/** What the worker would do about some changes that come by together. */
export interface Round {
  readonly changes: number;
  readonly propagations: readonly PlannedPropagation[];
  readonly check: PlannedCheck | undefined;
  readonly archived: readonly PlannedArchiving[];
}

/** Where a plan is made. */
export interface Stage {
  readonly registry: Registry;
  readonly worker: PlannedWorker;
  readonly archive: Pick<ArchivePort, 'head'> | undefined;
  /** The most records that the functions are handed at once. */
  readonly batchSize: number;
}

/** Writes that match again and again would never end: no rule does so, but a chain of them may take a few rounds. */
const maxRounds = 10;

/** What the worker would do about these changes, as the functions that read the stream would. */
export async function roundOf(stage: Stage, changes: readonly Change[]): Promise<Round> {
  const { registry, worker, archive } = stage;
  const groups = [...Map.groupBy(changes, ({ key }) => keyText(key)).values()];
  const matches = groups.map((group) => matchRules(registry, group));
  const matched = matches.flatMap((one) => one.propagations);
  const checks = matches.flatMap((one) => one.checks).filter((one) => !isCovered(stage, one, matched));
  // The archive reads the stream by itself, at the same time: first, so that it sees what the event says.
  const archived: PlannedArchiving[] = [];
  for (const group of groups) {
    const planned = await planArchiving(registry, worker.table, archive, group);
    if (planned !== undefined) archived.push(planned);
  }
  const propagations: PlannedPropagation[] = [];
  for (const propagation of matched) propagations.push(await worker.propagate(messageFor(propagation)));
  const check = checks.length === 0 ? undefined : await worker.check(checks);
  for (const { message } of check?.propagations ?? []) propagations.push(await worker.propagate(message));
  return { changes: changes.length, propagations, check, archived };
}

/** What comes of it: every write comes back on the stream, and may ask for more, until nothing is written any more. */
export async function roundsAfter(stage: Stage, first: readonly PlannedPropagation[]): Promise<Round[]> {
  const rounds: Round[] = [];
  let written = writesOf(stage, first);
  while (written.length > 0 && rounds.length < maxRounds) {
    const batches: Round[] = [];
    for (let start = 0; start < written.length; start += stage.batchSize)
      batches.push(await roundOf(stage, written.slice(start, start + stage.batchSize)));
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
