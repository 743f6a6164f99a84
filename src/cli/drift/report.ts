import * as z from 'zod';
import { dollarsOfUnits, prices } from '../../explain/cost/prices.ts';
import type { WouldSpend, WouldWrite } from '../../explain/dry-run/overlaid-table.ts';
import { namedWrite } from '../../explain/work.ts';
import { counted, number, visible, words } from '../../model/basics/text.ts';
import { sameKey } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import { type LeftAlone, outcomeCounts, type PropagationsOutcome } from '../../operate/drift/repair.ts';
import type { Backlog } from '../../worker/ports.ts';
import { type Drift, driftKinds, isRepairable, isRepairableKind } from '../../worker/verify/drift.ts';
import {
  countIn,
  countNames,
  driftIn,
  type VerifyState,
  verifyStateSchema,
} from '../../worker/verify/verify-state.ts';
import type { Targetless } from '../../worker/verify/verify-table.ts';
import { exitCodes } from '../errors.ts';
import { writeText } from '../output/lines.ts';
import { type ListingEntry, listing } from '../output/listing.ts';
import { tableOf } from '../output/table.ts';
import { styled, warn } from '../output/terminal.ts';
import { keyJson, namedKey } from '../output/text.ts';
import { lookedAt } from './looked-at.ts';
import type { DriftOptions, DriftWork } from './work.ts';

export type DriftCommand = 'verify' | 'repair' | 'backfill';

const count = z.int().min(0);

const countsSchema = z.object({
  propagations: count,
  written: count,
  removed: count,
  unchanged: count,
  lost: count,
  /** Keyed by error code. */
  leftAlone: z.record(z.string(), count),
});

const spentSchema = z.object({ readUnits: z.number(), writeUnits: z.number(), writes: count });

/** The progress of a command, for its resume point, from the first run on. Keys and counts only. */
export const driftProgressSchema = z.object({
  search: verifyStateSchema,
  counts: countsSchema,
  spent: spentSchema,
});

/** How a run ended. */
export interface DriftEnd {
  readonly finished: boolean;
  readonly passes: number;
  /** The file from which `--resume` goes on. */
  readonly resumePath: string | undefined;
}

export function driftReport(command: DriftCommand, options: DriftOptions, table: KeyNames) {
  const { json, rule, root, sample, dryRun } = options;
  const list = listing(json === true);
  const counts: z.output<typeof countsSchema> = {
    propagations: 0,
    written: 0,
    removed: 0,
    unchanged: 0,
    lost: 0,
    leftAlone: {},
  };

  function leave(one: LeftAlone): void {
    counts.leftAlone[one.code] = (counts.leftAlone[one.code] ?? 0) + 1;
    list.add(`of ${one.code}`, leftAloneEntry(table, one));
  }

  function progress({ suspectedDrifts }: VerifyState): string {
    if (command === 'backfill') return `${number(counts.written)} written`;
    return suspectedDrifts.length > 0 ? `${number(suspectedDrifts.length)} to check again` : '';
  }

  function* lines(
    state: VerifyState,
    { totals, left, wholeTable: whole, end, lookedAt: looked, queue }: Sums,
  ): Generator<string> {
    if (Object.keys(state.rules).length > 0) yield countsTable(state);
    yield* looked.lines();
    const again = state.suspectedDrifts.length > 0 ? `, ${progress(state)}` : '';
    const drifted = command === 'backfill' ? '' : `, ${number(totals.drift)} drifted${again}`;
    const did = command === 'verify' ? '' : `; ${didText(totals, left)}`;
    const { readUnits, writeUnits } = totals;
    yield `${looked.items(inPasses(state, end))}${drifted}${did}; ${number(readUnits)} read units, ${number(writeUnits)} write units`;
    if (whole !== undefined)
      yield `extrapolated to the whole table: about ${number(whole.drift)} drifted, ${number(whole.propagations)} propagations, ${number(whole.written)} writes, ${number(whole.readUnits)} read units, ${number(whole.writeUnits)} write units`;
    if (dryRun)
      yield `these units cost $${dollarsOfUnits(whole ?? totals).toFixed(4)} on demand in ${prices.region}, ${prices.of}`;
    if (queue !== undefined) yield* queueLines(queue, totals.drift + state.suspectedDrifts.length);
    if (!end.finished) yield incomplete(end);
  }

  /** For example `3 propagations, 12 copies written, 2 already right, 3 left alone`. */
  function didText({ propagations, written, removed, unchanged, lost }: Totals, left: number): string {
    const would = dryRun ? 'would be ' : '';
    return [
      counted(propagations, 'propagation'),
      `${counted(written, 'copy', 'copies')} ${would}written`,
      removed > 0 && `${number(removed)} ${would}removed or cleared`,
      `${number(unchanged)} already right`,
      lost > 0 && `${counted(lost, 'write')} retried after concurrent writes`,
      `${number(left)} left alone`,
    ]
      .filter((text) => text !== false)
      .join(', ');
  }

  return {
    counts,

    /** Lists drift: all that a search finds, and of what a repair has looked at, for people, what needs one of them. */
    list(found: readonly Drift[]): void {
      for (const drift of found)
        if (json || command === 'verify' || !isRepairable(drift))
          list.add(`of ${drift.rule}  ${drift.kind}`, findingEntry(table, drift));
    },

    lacksTarget(found: Targetless): void {
      list.add(`of ${found.rule}  targetless`, targetlessEntry(table, found));
    },

    wouldSpend(spend: WouldSpend): void {
      if (spend.does === 'write') list.add('writes', writeEntry(table, spend));
    },

    did({ leftAlone, ...done }: PropagationsOutcome): void {
      for (const name of outcomeCounts) counts[name] += done[name];
      leftAlone.forEach(leave);
    },

    progress,

    /**
     * Prints the summary.
     * @returns the exit code
     */
    end(
      { services, description, spent, registry, selected, paused, queue }: DriftWork,
      state: VerifyState,
      end: DriftEnd,
    ): number {
      const { finished, passes } = end;
      list.printGroups();
      const { leftAlone, ...done } = counts;
      const { readUnits, writeUnits } = spent;
      const totals = { drift: driftIn(state), ...done, readUnits, writeUnits };
      const tableItems = description.items || state.items / (sample ?? 1);
      const wholeTable =
        sample === undefined || !finished ? undefined : times(totals, tableItems / Math.max(1, state.items));
      const left = Object.values(leftAlone).reduce((sum, one) => sum + one, 0) + needingPeople(state);
      const isWrong = command === 'verify' || dryRun ? totals.drift + left > 0 : left > 0;
      const [isSample, isKnown] = [sample !== undefined, finished && root === undefined];
      const looked = lookedAt({ registry, selected, paused, command, state, isSample, isKnown });
      if (json) {
        const summary = {
          ...{ table: services.tableName, rule, root, sample, dryRun: dryRun === true, finished, passes },
          items: state.items,
          ...looked.json(),
          toCheckAgain: state.suspectedDrifts.length,
          queue: queue.last,
          rules: state.rules,
          ...times(totals, 1),
          leftAlone,
          wholeTable,
          dollars: dryRun ? dollarsOfUnits(wholeTable ?? totals) : undefined,
        };
        console.log(JSON.stringify({ summary }));
        if (!finished) warn(incomplete(end));
      } else
        for (const line of lines(state, {
          totals,
          left,
          wholeTable,
          end,
          lookedAt: looked,
          queue: queue.last,
        }))
          console.log(line);
      return finished && !isWrong && !looked.isWanting ? exitCodes.fine : exitCodes.failed;
    },
  };
}

interface Sums {
  readonly totals: Totals;
  readonly left: number;
  readonly wholeTable: Totals | undefined;
  readonly end: DriftEnd;
  readonly lookedAt: ReturnType<typeof lookedAt>;
  readonly queue: Backlog | undefined;
}

/** What the fan-out queue may still correct. */
function* queueLines(queue: Backlog, differing: number): Generator<string> {
  if (differing === 0) return;
  if ('unseen' in queue)
    yield `the fan-out queue was not looked at (${queue.unseen}): what differs may be on its way`;
  else if (queue.messages > 0)
    yield `${counted(queue.messages, 'message')} in the fan-out queue: what differs may be on its way, so verify again when it is empty`;
}

function inPasses({ pass }: VerifyState, { finished, passes }: DriftEnd): string {
  if (passes <= 1) return '';
  return finished ? ` in each of ${passes} passes` : ` in pass ${pass + 1} of ${passes}`;
}

function incomplete({ resumePath }: DriftEnd): string {
  return `incomplete: ${resumePath === undefined ? 'run the same command again' : `the same command with --resume continues (${resumePath})`}`;
}

const totalNames = [...outcomeCounts, 'drift', 'readUnits', 'writeUnits'] as const;
type Totals = Record<(typeof totalNames)[number], number>;

function times(totals: Totals, by: number): Totals {
  const product = { ...totals };
  for (const name of totalNames) product[name] = Math.round(totals[name] * by);
  return product;
}

function countsTable(state: VerifyState): string {
  const names = countNames.filter((name) => name === 'copies' || countIn(state, [name]) > 0);
  const rows = Object.entries(state.rules).map(([rule, counts]) => [
    rule,
    ...names.map((name) => (counts[name] === 0 && name !== 'copies' ? '' : number(counts[name]))),
  ]);
  return tableOf(['rule', ...names], rows);
}

/** The number of findings that are reported but never repaired. */
function needingPeople(state: VerifyState): number {
  return countIn(
    state,
    driftKinds.filter((kind) => !isRepairableKind(kind)),
  );
}

function findingEntry(table: KeyNames, drift: Drift): ListingEntry {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
  return {
    json: () => ({
      finding: kind,
      rule,
      copy: namedKey(table, copy),
      ...(root && { root: namedKey(table, root) }),
      ...(attributes.length > 0 && { attributes }),
      ...(unmapped.length > 0 && { unmapped }),
      ...(concerns && { concerns }),
      ...(code !== undefined && { code, reason }),
    }),
    text: () =>
      `${styled(isRepairable(drift) ? 'yellow' : 'red', kind.padEnd(13))} ${rule}  ${keyJson(table, copy)}${sentence(drift, root && keyJson(table, root))}`,
  };
}

function targetlessEntry(table: KeyNames, { rule, copy, root }: Targetless): ListingEntry {
  return {
    json: () => ({ finding: 'targetless', rule, copy: namedKey(table, copy), root: namedKey(table, root) }),
    text: () =>
      `${styled('yellow', 'targetless'.padEnd(13))} ${rule}  ${keyJson(table, copy)}  no target is at ${keyJson(table, root)}: write it, and its totals are computed`,
  };
}

function sentence(
  { kind, copy, root: rootKey, isOfEntry, attributes, unmapped, concerns, code, reason }: Drift,
  root: string | undefined,
): string {
  const isTarget = rootKey !== undefined && sameKey(rootKey, copy);
  switch (kind) {
    case 'differs':
    case 'derived':
      if (isOfEntry) return `  its entry in the ledger of ${root} is not what it counts for`;
      return `  ${words(attributes)}${unmapped.length > 0 ? `; no rule names ${words(unmapped)}` : ''}`;
    case 'empty':
      return '  it has no members';
    case 'missing':
      if (isTarget) return '  it is missing, and has members';
      return `  its root ${root} places it at this key, which is free`;
    case 'excluded':
      return `  when is false for its root ${root}`;
    case 'unlisted':
      return `  its root ${root} does not list its key`;
    case 'orphan':
      return `  no root is at ${root}`;
    case 'foreign':
      return `  its root ${root} places its copies elsewhere`;
    case 'unlinked':
      return '  it names no root, and still has what was copied';
    case 'invalid':
      return `  ${concerns === 'root' ? `its root ${root}: ` : ''}${code}: ${visible(reason ?? '')}`;
  }
}

export function leftAloneEntry(table: KeyNames, { rule, copy, root, code, reason }: LeftAlone): ListingEntry {
  const which = copy ?? root;
  const rootsFault = copy && root && code.startsWith('root.') ? `  its root ${keyJson(table, root)}` : '';
  return {
    json: () => ({
      leftAlone: code,
      rule,
      ...(copy && { copy: namedKey(table, copy) }),
      ...(root && { root: namedKey(table, root) }),
      reason,
    }),
    under: () => `${styled('red', 'left alone')}  ${rule}  ${code}: ${visible(reason)}`,
    text: () => (which === undefined ? 'a key that is unknown' : `${keyJson(table, which)}${rootsFault}`),
  };
}

/** A write of a dry run with its condition: attribute names, never values. */
export function writeEntry(table: KeyNames, write: WouldWrite): ListingEntry {
  const { does, key, ...names } = namedWrite(write);
  return {
    json: () => ({ wouldWrite: does, key: namedKey(table, key), ...names }),
    under: () => `${styled('yellow', does)}  ${writeText(names)}`,
    text: () => keyJson(table, key),
  };
}
