import type { StackSettings } from '../../deploy/stack-settings.ts';
import type { Aggregate } from '../../model/aggregate.ts';
import { isListed, listedKeys } from '../../model/copy-location.ts';
import { DenormError } from '../../model/errors.ts';
import { keyText } from '../../model/item.ts';
import { makeRegistry, type Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { countWorker, type DeployedWorker, settingsOf } from './count-worker.ts';
import { type Counts, scaled } from './counts.ts';
import type { Changes } from './play-changes.ts';
import { type Dollars, dollarsOf } from './prices.ts';
import { changesOfRule, paddedTo } from './rule-changes.ts';
import { hasOneCopy, type RuleItems } from './rule-items.ts';

/** What one change costs, and a million of them. */
export interface ChangeCost {
  /** The copies of the root, or the members of the target. */
  readonly fanOut: number;
  /** Of one change, on average. */
  readonly counts: Counts;
  /** Of a million changes. Every handler pays for the writes; a transaction pays twice. */
  readonly dollars: Dollars;
}

export interface RuleCost {
  readonly rule: Rule | Aggregate;
  /** The attribute of the root or the member that changes; undefined if members are added, because no attribute changes a total. */
  readonly attribute: string | undefined;
  /** Of a copy or a member, in bytes. */
  readonly itemBytes: number;
  readonly fanOuts: readonly ChangeCost[];
  /** What a new root costs, whose copies the rule creates. */
  readonly created?: ChangeCost;
}

export interface CostOptions {
  readonly fanOuts: readonly number[];
  /** Undefined leaves items as they are. */
  readonly itemBytes: number | undefined;
}

/** Copies that a run writes about, so that averages over roots mean something: how copies share lanes differs by root. */
const copiesOfRun = 200;
const maxRoots = 20;

/**
 * Counts changes of one rule, alone on its table, each long after the one before: what comes together would share
 * invocations.
 * @throws DenormError `cost.items` if the items are no root and copies of it; `cost.unfinished` if they are not propagated
 */
export async function costOfRule(
  stack: StackSettings,
  registry: Registry,
  rule: Rule,
  items: RuleItems,
  { fanOuts, itemBytes }: CostOptions,
): Promise<RuleCost> {
  const { table } = registry;
  const alone = { stack, registry: makeRegistry(table, [rule], registry.archives) };
  const everySeconds = settingsOf(stack).recheckDelaySeconds + 60;
  let about = { attribute: '', copyBytes: 0 };
  const rows = new Map<number, ChangeCost>();
  for (const wanted of hasOneCopy(rule) ? [1] : fanOuts) {
    const roots = Math.min(maxRoots, Math.ceil(copiesOfRun / wanted));
    const made = changesOfRule(table, rule, items, { copies: wanted, itemBytes, roots, everySeconds });
    about = made;
    const changes = made.changes.after.length;
    const counts = await countWorker(alone, made.changes);
    requireWritten(rule, counts, changes * made.copies);
    rows.set(made.copies, costOfChange(made.copies, counts, changes));
  }
  return {
    ...{ rule, attribute: about.attribute, itemBytes: about.copyBytes, fanOuts: [...rows.values()] },
    ...(rule.creates && { created: await costOfCreation(alone, rule, items, itemBytes, everySeconds) }),
  };
}

/** A root is put, and the rule creates a copy at each key that it names. */
async function costOfCreation(
  alone: DeployedWorker,
  rule: Rule,
  items: RuleItems,
  itemBytes: number | undefined,
  everySeconds: number,
): Promise<ChangeCost> {
  const { table } = alone.registry;
  const roots = items
    .roots(maxRoots)
    .map((root) => (itemBytes === undefined ? root : paddedTo(root, itemBytes)));
  const keys = roots.flatMap((root) => {
    const location = locationOf(table, rule, root);
    return isListed(location) ? listedKeys(location) : [];
  });
  const changes: Changes = { before: [], after: roots, everySeconds };
  const counts = await countWorker(alone, changes);
  requireWritten(rule, counts, new Set(keys.map(keyText)).size);
  return costOfChange(keys.length / roots.length, counts, roots.length);
}

/** A rule whose records no filter passes would cost nothing. */
function requireWritten({ name }: Rule, { copiesWritten }: Counts, expected: number): void {
  if (copiesWritten >= expected) return;
  throw new DenormError(
    'cost.unfinished',
    `Expected the worker to write ${expected} copies of ${name}, found ${copiesWritten} writes: let the filters of Propagate in template.extra.yaml pass the rule's roots, as \`denorm dev\` checks`,
    { rule: name },
  );
}

/** The cost of each of so many changes, from the counts of all. */
export function costOfChange(fanOut: number, counts: Counts, changes: number): ChangeCost {
  return {
    ...{ fanOut, counts: scaled(counts, 1 / changes) },
    dollars: dollarsOf(scaled(counts, 1_000_000 / changes)),
  };
}
