import type { Change } from '../../model/change.ts';
import { keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import type { ArchivePort } from '../../ports.ts';
import { isCovered, messageFor } from '../../propagation/propagate-batch.ts';
import { changesOf } from '../../dev/dry-run/priced-table.ts';
import { bellsOf } from '../../propagation/plan/match.ts';
import { type PlannedArchiving, planArchiving } from './planned-archive.ts';
import type { PlannedCheck, PlannedTurn, PlannedWorker } from './planned-worker.ts';

/** What the worker would do about some changes that come by together. */
export interface Round {
  readonly changes: number;
  readonly turns: readonly PlannedTurn[];
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

/** Writes that ring again and again would never end: no rule does so, but a chain of them may take a few rounds. */
const mostRounds = 10;

/** What the worker would do about these changes, as the functions that read the stream would. */
export async function roundOf(stage: Stage, changes: readonly Change[]): Promise<Round> {
  const { registry, worker, archive } = stage;
  const groups = [...Map.groupBy(changes, ({ key }) => keyText(key)).values()];
  const bells = groups.map((group) => bellsOf(registry, group));
  const rings = bells.flatMap((one) => one.rings);
  const checks = bells.flatMap((one) => one.checks).filter((one) => !isCovered(stage, one, rings));
  // The archive reads the stream by itself, at the same time: first, so that it sees what the event says.
  const archived: PlannedArchiving[] = [];
  for (const group of groups) {
    const planned = await planArchiving(registry, worker.table, archive, group);
    if (planned !== undefined) archived.push(planned);
  }
  const turns: PlannedTurn[] = [];
  for (const ring of rings) turns.push(await worker.turn(messageFor(ring)));
  const check = checks.length === 0 ? undefined : await worker.check(checks);
  for (const { message } of check?.turns ?? []) turns.push(await worker.turn(message));
  return { changes: changes.length, turns, check, archived };
}

/** What comes of it: every write comes back on the stream, and may ask for more, until nothing is written any more. */
export async function roundsAfter(stage: Stage, first: readonly PlannedTurn[]): Promise<Round[]> {
  const rounds: Round[] = [];
  let written = writesOf(stage, first);
  while (written.length > 0 && rounds.length < mostRounds) {
    const batches: Round[] = [];
    for (let start = 0; start < written.length; start += stage.batchSize)
      batches.push(await roundOf(stage, written.slice(start, start + stage.batchSize)));
    const round = together(batches);
    rounds.push(round);
    written = writesOf(stage, round.turns);
  }
  return rounds;
}

function together(batches: readonly Round[]): Round {
  const checks = batches.flatMap(({ check }) => check ?? []);
  return {
    changes: batches.reduce((sum, { changes }) => sum + changes, 0),
    turns: batches.flatMap(({ turns }) => turns),
    check:
      checks.length === 0
        ? undefined
        : {
            copies: checks.reduce((sum, { copies }) => sum + copies, 0),
            steps: checks.flatMap(({ steps }) => steps),
            turns: checks.flatMap(({ turns }) => turns),
          },
    archived: batches.flatMap(({ archived }) => archived),
  };
}

function writesOf({ registry }: Stage, turns: readonly PlannedTurn[]): Change[] {
  const steps = turns.flatMap(({ parts }) => parts.flatMap((part) => part.steps));
  return changesOf(registry.table, steps);
}
