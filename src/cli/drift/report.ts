import * as z from 'zod';
import { dollarsOfUnits, prices } from '../../explain/cost/prices.ts';
import type { WouldSpend } from '../../explain/dry-run/overlaid-table.ts';
import { counted, number } from '../../model/basics/text.ts';
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
  waitingIn,
} from '../../worker/verify/verify-state.ts';
import type { Targetless } from '../../worker/verify/verify-table.ts';
import { closingLine, countsText, leftText } from '../output/closing-line.ts';
import { printSummary } from '../output/json.ts';
import { listing } from '../output/listing.ts';
import { typedCommand } from '../output/next-command.ts';
import { tableOf } from '../output/table.ts';
import { warn } from '../output/terminal.ts';
import { findingEntry, leftAloneEntry, targetlessEntry, writeEntry } from './findings.ts';
import { lookedAt } from './looked-at.ts';
import { valuesOf } from './values.ts';
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
  const { json, rule, root, sample, dryRun, showValues } = options;
  const list = listing(json === true);
  const counts: z.output<typeof countsSchema> = {
    propagations: 0,
    written: 0,
    removed: 0,
    unchanged: 0,
    lost: 0,
    leftAlone: {},
  };
  let ended: VerifyState | undefined;

  function leave(one: LeftAlone): void {
    counts.leftAlone[one.code] = (counts.leftAlone[one.code] ?? 0) + 1;
    list.add(leftAloneEntry(table, one, options));
  }

  function progress(state: VerifyState): string {
    if (command === 'backfill') return `${number(counts.written)} written`;
    return [`${number(driftIn(state))} found`, ...unsettled(state)].join(', ');
  }

  function* lines(state: VerifyState, sums: Sums): Generator<string> {
    const { totals, wholeTable: whole, end, looked, queue } = sums;
    if (Object.keys(state.rules).length > 0) {
      if (command === 'repair') yield 'What the copies were before the repair:';
      yield* countsTable(state);
    }
    yield* looked.lines();
    if (whole !== undefined)
      yield `extrapolated to the whole table: about ${number(whole.drift)} drifted, ${number(whole.propagations)} propagations, ${number(whole.written)} writes, ${number(whole.readUnits)} read units, ${number(whole.writeUnits)} write units`;
    if (dryRun)
      yield `these units cost $${dollarsOfUnits(whole ?? totals).toFixed(4)} on demand in ${prices.region}, ${prices.of}`;
    if (queue !== undefined) yield* queueLines(queue, differingIn(state) + state.suspectedDrifts.length);
    if (!end.finished) yield incomplete(end);
    else if (command === 'verify' && totals.drift > needingPeople(state))
      yield typedCommand({ verify: ['repair', '--dry-run'], '--show-values': [], '--resume': [] });
    else if (dryRun && totals.written + totals.removed > 0)
      yield typedCommand({ '--dry-run': [], '--resume': [] });
    yield lastLine(state, sums);
  }

  /** What was looked at, found, done and left, and why the exit code is not 0. */
  function lastLine(state: VerifyState, sums: Sums): string {
    const { totals, left, end, looked, fault } = sums;
    const needed = needingPeople(state);
    const kinds = driftKinds.map((kind) => [kind, countIn(state, [kind])] as const);
    const found = [
      totals.drift === 0 ? 'found nothing' : `found ${number(totals.drift)} (${countsText(kinds)})`,
      ...unsettled(state),
      ...(command === 'verify' && totals.drift > 0
        ? [`${number(totals.drift - needed)} for \`denorm repair\`, ${number(needed)} for you`]
        : []),
    ].join(', ');
    const notRepaired = kinds.filter(([kind]) => !isRepairableKind(kind));
    const kindsLeft = countsText([...Object.entries(counts.leftAlone), ...notRepaired]);
    return closingLine(
      [
        looked.items(inPasses(state, end)),
        ...(command === 'backfill' ? [] : [found]),
        ...(command === 'verify'
          ? []
          : [
              didText(totals),
              leftText(left === 0 ? undefined : `${number(left)} (${kindsLeft})`, end.finished),
            ]),
        `${number(totals.readUnits)} read units, ${number(totals.writeUnits)} write units`,
      ],
      fault,
    );
  }

  /** For example `3 propagations, 12 copies written, 2 already right`. */
  function didText({ propagations, written, removed, unchanged, lost }: Totals): string {
    const would = dryRun ? 'would be ' : '';
    return [
      counted(propagations, 'propagation'),
      `${counted(written, 'copy', 'copies')} ${would}written`,
      removed > 0 && `${number(removed)} ${would}removed or cleared`,
      `${number(unchanged)} already right`,
      lost > 0 && `${counted(lost, 'write')} retried after concurrent writes`,
    ]
      .filter((text) => text !== false)
      .join(', ');
  }

  return {
    counts,

    /** Lists drift: all that a search finds, and of what a repair has looked at, for people, what needs one of them. */
    list(work: DriftWork, found: readonly Drift[]): void {
      const values = showValues ? (drift: Drift) => valuesOf(work, drift) : undefined;
      for (const drift of found)
        if (json || command === 'verify' || !isRepairable(drift))
          list.add(findingEntry(table, drift, options, values));
    },

    lacksTarget(found: Targetless): void {
      const areAll = () => {
        const { members, targetless } = ended?.rules[found.rule] ?? {};
        return members !== undefined && members === targetless;
      };
      list.add(targetlessEntry(table, found, options, areAll));
    },

    wouldSpend(spend: WouldSpend): void {
      if (spend.does === 'write') list.add(writeEntry(table, spend));
    },

    did({ leftAlone, ...done }: PropagationsOutcome): void {
      for (const name of outcomeCounts) counts[name] += done[name];
      leftAlone.forEach(leave);
    },

    progress,

    /**
     * Prints the summary.
     * @returns whether all is fine
     */
    async end(work: DriftWork, state: VerifyState, end: DriftEnd): Promise<boolean> {
      const { services, description, spent, registry, selected, paused, queue } = work;
      const { finished, passes } = end;
      ended = state;
      await list.printGroups();
      const { leftAlone, ...done } = counts;
      const { readUnits, writeUnits } = spent;
      const totals = { drift: driftIn(state), ...done, readUnits, writeUnits };
      const tableItems = description.items || state.items / (sample ?? 1);
      const isExtrapolated = sample !== undefined && finished && state.items > 0;
      const wholeTable = isExtrapolated ? times(totals, tableItems / state.items) : undefined;
      const refused = Object.values(leftAlone).reduce((sum, one) => sum + one, 0);
      const left = refused + needingPeople(state);
      const handled = counts.written + counts.removed + counts.unchanged + refused;
      const [isSample, isKnown] = [sample !== undefined, finished && root === undefined];
      const looked = lookedAt({ registry, selected, paused, command, state, handled, isSample, isKnown });
      const fault = faultOf(state, { finished, isWanting: looked.isWanting, left });
      const sums = { totals, left, wholeTable, end, looked, queue: queue.last, fault };
      if (json) {
        const summary = {
          ...{ table: services.tableName, rule, root, sample, dryRun: dryRun === true, finished, passes },
          items: state.items,
          ...looked.json(),
          toCheckAgain: state.suspectedDrifts.length,
          waiting: waitingIn(state),
          queue: queue.last,
          rules: state.rules,
          ...times(totals, 1),
          leftAlone,
          wholeTable,
          dollars: dryRun ? dollarsOfUnits(wholeTable ?? totals) : undefined,
        };
        printSummary(summary);
        if (!finished) warn(incomplete(end));
      } else for (const line of lines(state, sums)) console.log(line);
      return fault === undefined;
    },
  };

  /** Why the exit code is 1. */
  function faultOf(
    state: VerifyState,
    run: { readonly finished: boolean; readonly isWanting: boolean; readonly left: number },
  ): string | undefined {
    if (!run.finished) return 'it has not come to its end';
    if ((command === 'verify' || dryRun) && driftIn(state) > 0)
      return differingIn(state) > 0 ? 'something differs' : 'something is invalid';
    if (run.left > 0) return 'something is left';
    return run.isWanting ? 'something was not looked at' : undefined;
  }
}

/** An invalid item is compared with nothing, and differs from nothing. */
function differingIn(state: VerifyState): number {
  return driftIn(state) - countIn(state, ['invalid']);
}

interface Sums {
  readonly totals: Totals;
  readonly left: number;
  readonly wholeTable: Totals | undefined;
  readonly end: DriftEnd;
  readonly looked: ReturnType<typeof lookedAt>;
  readonly queue: Backlog | undefined;
  readonly fault: string | undefined;
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

/** `3 waiting for the fan-out queue`, `2 to check again` */
function unsettled(state: VerifyState): string[] {
  const waiting = waitingIn(state);
  const others = state.suspectedDrifts.length - waiting;
  return [
    ...(waiting > 0 ? [`${number(waiting)} waiting for the fan-out queue`] : []),
    ...(others > 0 ? [`${number(others)} to check again`] : []),
  ];
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

/** What a column counts, if its name does not say it: findings are explained where they are listed. */
const columnMeanings: Partial<Readonly<Record<(typeof countNames)[number], string>>> = {
  rootless: 'copies that name no root, as their rule allows',
  kept: 'copies without their root, or where it has left, that their rule keeps',
  members: 'items of an aggregate, once for each target that they name',
  targetless: 'members whose target does not exist',
  unfindable: 'copies that their rule’s index lacks, so that no change reaches them',
  unstable: 'copies that changed at every look',
};

function* countsTable(state: VerifyState): Generator<string> {
  const names = countNames.filter((name) => name === 'copies' || countIn(state, [name]) > 0);
  const rows = Object.entries(state.rules).map(([rule, counts]) => [
    rule,
    ...names.map((name) => (counts[name] === 0 && name !== 'copies' ? '' : number(counts[name]))),
  ]);
  yield tableOf(['rule', ...names], rows);
  for (const name of names) if (columnMeanings[name]) yield `${name}: ${columnMeanings[name]}`;
}

/** The number of findings that are reported but never repaired. */
function needingPeople(state: VerifyState): number {
  return countIn(
    state,
    driftKinds.filter((kind) => !isRepairableKind(kind)),
  );
}
