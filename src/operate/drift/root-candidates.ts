import { type Item, type ItemKey, keyIn } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import type { Rule } from '../../model/rule.ts';
import { unlessInvalid } from '../../model/unless-invalid.ts';
import { defaultSettings, type TablePort } from '../../worker/ports.ts';
import { pagesOf } from '../../worker/propagation/copy-pages.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import type { Candidate } from '../../worker/verify/inspect.ts';
import { type CandidateSource, candidatesOf } from '../../worker/verify/verify-table.ts';

/** What the candidates of a root are read with. */
interface Reading {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly stop: () => boolean;
}

/**
 * What one root concerns, without a scan: the copies in the locations that its rules give, the keys at which it places copies,
 * and its own totals.
 */
export function candidatesOfRoot(reading: Reading, key: ItemKey): CandidateSource {
  const { registry, table, stop } = reading;
  return async ({ rules, aggregates }, from, visitor) => {
    async function take(items: number, candidates: readonly Candidate[]): Promise<void> {
      (await visitor.visit(items, candidates))();
      await visitor.reached(from);
      if (stop()) throw new Interrupted();
    }
    // Read in each pass: an earlier one may have repaired what is derived on the root.
    const root = await table.get(key);
    if (root !== undefined) {
      for (const rule of rules.filter((one) => isOfKind(registry.table, one.root, root)))
        for await (const page of pagesOfRule(reading, rule, root)) await take(page.items, page.candidates);
      if (aggregates.length > 0) await take(1, candidatesOf(registry, { rules: [], aggregates }, [root]));
    }
    await visitor.reached({ segments: from.segments.map((segment) => ({ ...segment, done: true })) });
  };
}

/** A root that does not say where its copies are is a candidate itself. */
async function* pagesOfRule(
  { registry, table }: Reading,
  rule: Rule,
  root: Item,
): AsyncGenerator<{ readonly items: number; readonly candidates: readonly Candidate[] }> {
  const key = keyIn(registry.table, root);
  const location = unlessInvalid(
    () => locationOf(registry.table, rule, root),
    () => undefined,
  );
  if (location === undefined) return yield { items: 1, candidates: [{ rule, root: key, key }] };
  const selection = { rules: [rule], aggregates: [] };
  // The root says which copies are missing.
  if (rule.creates) yield { items: 1, candidates: candidatesOf(registry, selection, [root]) };
  const message: Message = {
    ...{ rule: rule.name, root: key, cause: 'repair', attempts: 0 },
    locations: [location],
  };
  for await (const { copies } of pagesOf({ registry, table, settings: defaultSettings }, rule, message))
    yield { items: copies.length, candidates: candidatesOf(registry, selection, copies) };
}
