import type { Command } from 'commander';
import { systemClock } from '../../adapters/system-clock.ts';
import { noCounts, type VerifyState, verifyFrom } from '../../drift/verify-state.ts';
import { type Search, verifyCopies, verifyTable } from '../../drift/verify-table.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { defaultSettings } from '../../ports.ts';
import { pagesOf } from '../../propagation/copy-pages.ts';
import { locationOf } from '../../propagation/plan/rule-functions.ts';
import { isFinished } from '../../scan/scan-table.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { secondsOption } from '../options/option-values.ts';
import { progressBar } from '../output/terminal.ts';
import { keyJson, number } from '../output/text.ts';
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
function searchOf(
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

/**
 * Searches the table, or a sample of it, and saves its progress.
 * @returns undefined if it was stopped
 */
export async function searchTable(
  work: DriftWork,
  options: SearchOptions,
  label: string,
  point: ResumePoint<VerifyState>,
  onDrift: Search['onDrift'],
): Promise<{ readonly state: VerifyState; readonly finished: boolean }> {
  const search = searchOf(work, options, onDrift);
  const from =
    (await point.load()) ?? verifyFrom(firstPoint(options), [...search.rules, ...search.aggregates]);
  const bar = progressBar({
    label,
    unit: 'items',
    total: expectedItems(work.description, options.sample, from.items),
  });
  try {
    const state = await verifyTable(
      {
        ...search,
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
    const finished = isFinished(state.point) && state.suspectedDrifts.length === 0;
    await (finished ? point.clear() : point.keepNow(state));
    return { state, finished };
  } finally {
    bar.stop();
  }
}

/**
 * Searches the copies of one root in the locations that its rules give, without a scan, and its own totals.
 * @throws UsageError `usage.root` if no rule has such a root, or the root does not exist
 */
export async function searchRoot(
  work: DriftWork,
  options: SearchOptions & { readonly root: string },
  onDrift: Search['onDrift'],
): Promise<{ readonly state: VerifyState; readonly finished: boolean }> {
  const key = await readKey(options.root);
  const searched = rulesOf(work, options);
  const rules = searched.rules.filter((rule) => rule.root.idsOf(key) !== undefined);
  const aggregates = searched.aggregates.filter(({ on }) => on.idsOf(key) !== undefined);
  if (rules.length + aggregates.length === 0)
    throw new UsageError(
      'usage.root',
      `Expected --root to be the key of a root of ${options.rule ?? 'a rule'}, got ${keyJson(key)}: \`denorm rules\` shows the keys of roots`,
    );
  const root = await work.table.get(key);
  if (root === undefined)
    throw new UsageError(
      'usage.root',
      `Expected an item ${keyJson(key)}, found none: only an existing root says where its copies are`,
    );
  const states: VerifyState[] = [];
  for (const rule of rules) states.push(await searchLocation(work, options, onDrift, rule, key, root));
  if (aggregates.length > 0) {
    const search = searchOf(work, options, onDrift, { rules: [], aggregates });
    states.push(await verifyCopies(search, onePage([root])));
  }
  const state: VerifyState = {
    point: { segments: [] },
    suspectedDrifts: states.flatMap(({ suspectedDrifts }) => suspectedDrifts),
    items: states.reduce((sum, { items }) => sum + items, 0),
    rules: Object.assign(
      {},
      verifyFrom({ segments: [] }, [...rules, ...aggregates]).rules,
      ...states.map((one) => one.rules),
    ),
  };
  return { state, finished: state.suspectedDrifts.length === 0 && !work.interruption.asked() };
}

/**
 * Searches the copies of this root for one rule. If the location cannot be computed from the root, reports
 * the root instead.
 */
async function searchLocation(
  work: DriftWork,
  options: SearchOptions,
  onDrift: Search['onDrift'],
  rule: Rule,
  key: ItemKey,
  root: Item,
): Promise<VerifyState> {
  const search = searchOf(work, options, onDrift, { rules: [rule], aggregates: [] });
  try {
    const location = locationOf(work.registry.table, rule, root);
    return await verifyCopies(search, copiesIn(work, rule, key, root, location));
  } catch (error) {
    if (!(error instanceof InvalidItemError)) throw error;
    const { code, message: reason } = error;
    const drift = { rule: rule.name, copy: key, root: key, attributes: [], unmapped: [], code, reason };
    const told = await onDrift([{ drift: { ...drift, kind: 'invalid' }, discrepancies: {} }]);
    told?.moved();
    const { drift: none, ...counts } = noCounts();
    const found = { ...counts, drift: { ...none, invalid: 1 } };
    return { ...verifyFrom({ segments: [] }, []), rules: { [rule.name]: found } };
  }
}

async function* onePage(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

async function* copiesIn(
  { registry, table }: DriftWork,
  rule: Rule,
  key: ItemKey,
  root: Item,
  location: CopyLocation,
): AsyncGenerator<readonly Item[]> {
  // The root says which copies are missing.
  if (rule.creates) yield [root];
  const message: Message = {
    rule: rule.name,
    root: key,
    cause: 'repair',
    locations: [location],
    attempts: 0,
  };
  const reading = { registry, table, settings: defaultSettings };
  for await (const { copies } of pagesOf(reading, rule, message)) yield copies;
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
