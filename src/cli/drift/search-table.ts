import type { Command } from 'commander';
import type { Registry } from '../../model/registry.ts';
import { systemClock } from '../../worker/adapters/system-clock.ts';
import type { RepairPass } from '../../worker/verify/repair-order.ts';
import { isPassed, type VerifyState, verifyFrom } from '../../worker/verify/verify-state.ts';
import { type Search, verifyTable } from '../../worker/verify/verify-table.ts';
import { UsageError } from '../errors.ts';
import { secondsOption } from '../options/option-values.ts';
import { progressBar } from '../output/terminal.ts';
import { number } from '../output/text.ts';
import {
  type DriftOptions,
  type DriftWork,
  expectedItems,
  firstPoint,
  ruleNamed,
  segmentsAtOnce,
} from './drift-work.ts';
import type { ResumePoint } from './resume-point.ts';

export interface SearchOptions extends DriftOptions {
  readonly rule?: string;
  readonly root?: string;
  readonly grace: number;
  readonly allOrphans?: true;
}

/** The rules and aggregates to search. */
export function rulesOf(
  { registry }: DriftWork,
  { rule }: Pick<SearchOptions, 'rule'>,
): Pick<Registry, 'rules' | 'aggregates'> {
  if (rule === undefined) return registry;
  const named = ruleNamed(registry, rule);
  return 'computes' in named ? { rules: [], aggregates: [named] } : { rules: [named], aggregates: [] };
}

/** The parameters of a search. */
export function searchOf(
  work: DriftWork,
  options: SearchOptions,
  onDrift: Search['onDrift'],
  { rules, aggregates } = rulesOf(work, options),
): Search {
  return {
    registry: work.registry,
    rules,
    aggregates,
    table: work.table,
    orphans: options.allOrphans === true ? 'all' : 'unexplained',
    clock: systemClock,
    grace: options.grace * 1000,
    stop: work.interruption.asked,
    onDrift,
  };
}

/** What a command does with a search of the table. */
interface TableSearchWork {
  readonly label: string;
  readonly point: ResumePoint<VerifyState>;
  readonly onDrift: Search['onDrift'];
  /** Default: one pass, with all rules and aggregates. */
  readonly passes?: readonly RepairPass[];
}

/** Searches the table, or a sample of it, and saves its progress. */
export async function searchTable(
  work: DriftWork,
  options: SearchOptions,
  { label, point, onDrift, passes = [rulesOf(work, options)] }: TableSearchWork,
): Promise<{ readonly state: VerifyState; readonly finished: boolean }> {
  const search = searchOf(work, options, onDrift);
  const from =
    (await point.load()) ?? verifyFrom(firstPoint(options), [...search.rules, ...search.aggregates]);
  const bar = progressBar({
    label,
    unit: 'items',
    total: expectedItems(work.description, (options.sample ?? 1) * passes.length, from.items),
  });
  try {
    const state = await verifyTable(
      {
        ...search,
        passes,
        scan: work.scan,
        budget: work.reads,
        concurrency: segmentsAtOnce,
        onState: (now) => {
          const suspected = now.suspectedDrifts.length;
          bar.update(now.items - from.items, suspected > 0 ? `${number(suspected)} to check again` : '');
          return point.keep(now);
        },
      },
      from,
    );
    const finished = isPassed(state);
    await (finished ? point.clear() : point.keepNow(state));
    return { state, finished };
  } finally {
    bar.stop();
  }
}

/** Adds the options that select the drift to look for. */
export function withSearchOptions(command: Command): Command {
  return command
    .option('--rule <name>', 'only the copies of this rule')
    .option('--root <key>', 'only where this root places copies now, without a scan; as JSON')
    .option('--grace <seconds>', 'how long a change may take to reach a copy', secondsOption, 5)
    .option('--all-orphans', 'also reports orphans that their rule keeps only on deletion or only on expiry');
}

/** @throws UsageError `usage.options` if options contradict each other */
export function refuseContradictions({
  root,
  sample,
  resume,
}: SearchOptions & { readonly resume?: true }): void {
  if (root === undefined || (sample === undefined && resume === undefined)) return;
  const other = sample === undefined ? '--resume' : '--sample';
  throw new UsageError(
    'usage.options',
    `Expected --root alone, got it with ${other}: a search for one root needs no scan`,
  );
}

/** Properties that must be the same to resume a search. */
export function identityOf(
  { description, digest }: DriftWork,
  { rule, sample, allOrphans }: SearchOptions,
): Readonly<Record<string, string>> {
  return {
    'the table': description.arn,
    'the rules': digest,
    '--rule': rule ?? 'none',
    '--sample': sample === undefined ? 'none' : `${sample * 100}%`,
    '--all-orphans': String(allOrphans === true),
  };
}

/** Prints how to resume. */
export function sayStopped({ items }: Pick<VerifyState, 'items'>, path: string | undefined): void {
  console.error(
    path === undefined
      ? 'denorm: stopped before the end'
      : `denorm: stopped after ${number(items)} items; the same command with --resume continues (${path})`,
  );
}
