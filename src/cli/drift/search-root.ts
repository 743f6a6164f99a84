import type { CopyLocation } from '../../model/copy-location.ts';
import { InvalidItemError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { Rule } from '../../model/rule.ts';
import { defaultSettings } from '../../worker/ports.ts';
import { pagesOf } from '../../worker/propagation/copy-pages.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { repairPasses } from '../../worker/verify/repair-order.ts';
import { noCounts, type VerifyState, verifyFrom } from '../../worker/verify/verify-state.ts';
import { type Search, verifyCopies } from '../../worker/verify/verify-table.ts';
import { UsageError } from '../errors.ts';
import { readKey } from '../options/arguments.ts';
import { keyJson } from '../output/text.ts';
import type { DriftWork } from './drift-work.ts';
import { rulesOf, type SearchOptions, searchOf } from './search-table.ts';

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
  for (const pass of repairPasses({ table: work.registry.table, rules, aggregates })) {
    // An earlier pass may have repaired what is derived on the root.
    const now = states.length === 0 ? root : ((await work.table.get(key)) ?? root);
    for (const rule of pass.rules) states.push(await searchLocation(work, options, onDrift, rule, key, now));
    const search = searchOf(work, options, onDrift, { rules: [], aggregates: pass.aggregates });
    if (pass.aggregates.length > 0) states.push(await verifyCopies(search, onePage([now])));
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
