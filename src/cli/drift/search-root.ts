import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { Rule } from '../../model/rule.ts';
import { backfillMessage } from '../../operate/drift/backfill.ts';
import { defaultSettings } from '../../worker/ports.ts';
import { pagesOf } from '../../worker/propagation/copy-pages.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { repairPasses } from '../../worker/verify/repair-order.ts';
import { noCounts, type VerifyState, verifyFrom } from '../../worker/verify/verify-state.ts';
import { verifyCopies } from '../../worker/verify/verify-table.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { keyJson } from '../output/text.ts';
import { type DriftRun, searchOf } from './search.ts';
import type { DriftWork } from './work.ts';

/** The root that a command is about, and what of the selected rules and aggregates it concerns. */
interface Root {
  readonly key: ItemKey;
  readonly item: Item;
  readonly selected: DriftWork['selected'];
}

/** @throws UsageError `usage.root` if no rule has such a root, or the root does not exist */
async function rootCalled({ work, options }: DriftRun, name: string): Promise<Root> {
  const key = await readKey(name);
  const rules = work.selected.rules.filter(({ root }) => root.idsOf(key) !== undefined);
  const aggregates = work.selected.aggregates.filter(({ on }) => on.idsOf(key) !== undefined);
  if (rules.length + aggregates.length === 0)
    throw new UsageError(
      'usage.root',
      `Expected --root to be the key of a root of ${options.rule ?? 'a rule'}, got ${keyJson(key)}: \`denorm rules\` shows the keys of roots`,
    );
  const item = await work.table.get(key);
  if (item !== undefined) return { key, item, selected: { rules, aggregates } };
  throw new UsageError(
    'usage.root',
    `Expected an item ${keyJson(key)}, found none: only an existing root says where its copies are`,
  );
}

/** Propagates one root, or computes one target. */
export async function backfillRoot(run: DriftRun, name: string): Promise<Ended> {
  const { propagations, registry } = run.work;
  const { item, selected } = await rootCalled(run, name);
  const messages = [...selected.rules, ...selected.aggregates].flatMap(
    (rule) => backfillMessage(registry.table, rule, item) ?? [],
  );
  const outcome = await propagations.take(messages);
  run.report.did(outcome);
  const state = { ...verifyFrom({ segments: [] }, []), items: 1 };
  return { state, finished: outcome.unfinished.length === 0 };
}

interface Ended {
  readonly state: VerifyState;
  readonly finished: boolean;
}

/** Searches the copies of one root in the locations that its rules give, without a scan, and its own totals. */
export async function searchRoot(run: DriftRun, name: string): Promise<Ended> {
  const { work } = run;
  const root = await rootCalled(run, name);
  const { rules, aggregates } = root.selected;
  const states: VerifyState[] = [];
  for (const pass of repairPasses({ table: work.registry.table, rules, aggregates })) {
    // An earlier pass may have repaired what is derived on the root.
    const item = states.length === 0 ? root.item : ((await work.table.get(root.key)) ?? root.item);
    for (const rule of pass.rules) states.push(await searchLocation(run, rule, { ...root, item }));
    const search = searchOf(run, { rules: [], aggregates: pass.aggregates });
    if (pass.aggregates.length > 0) states.push(await verifyCopies(search, onePage([item])));
  }
  const empty = verifyFrom({ segments: [] }, [...rules, ...aggregates]);
  const state: VerifyState = {
    ...empty,
    suspectedDrifts: states.flatMap(({ suspectedDrifts }) => suspectedDrifts),
    items: states.reduce((sum, { items }) => sum + items, 0),
    rules: Object.assign(empty.rules, ...states.map((one) => one.rules)),
  };
  return { state, finished: state.suspectedDrifts.length === 0 && !work.interruption.asked() };
}

/**
 * Searches the copies of this root for one rule. If the location cannot be computed from the root, reports
 * the root instead.
 */
async function searchLocation(run: DriftRun, rule: Rule, { key, item }: Root): Promise<VerifyState> {
  const { work, onDrift } = run;
  try {
    const location = locationOf(work.registry.table, rule, item);
    const search = searchOf(run, { rules: [rule], aggregates: [] });
    return await verifyCopies(search, copiesIn(work, rule, item, location));
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
  root: Item,
  location: CopyLocation,
): AsyncGenerator<readonly Item[]> {
  // The root says which copies are missing.
  if (rule.creates) yield [root];
  const message: Message = {
    ...{ rule: rule.name, root: keyIn(registry.table, root), cause: 'repair', attempts: 0 },
    locations: [location],
  };
  const reading = { registry, table, settings: defaultSettings };
  for await (const { copies } of pagesOf(reading, rule, message)) yield copies;
}
