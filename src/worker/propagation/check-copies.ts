import { TransientError } from '../../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../../model/item.ts';
import type { Message } from '../../model/message.ts';
import type { PropagationContext } from './context.ts';
import { readKeys } from './copy-pages.ts';
import { holding, mostBytes } from './item-memory.ts';
import type { Check } from './plan/match.ts';
import { planCheck } from './plan/plan-copy.ts';
import { settle } from './settle.ts';

/** A propagation to copies that differ from their root, with the checks that found them. */
export interface PropagationOfChecks<SomeCheck extends Check> {
  readonly message: Message;
  readonly checks: readonly SomeCheck[];
}

/**
 * Compares copies from the stream with their roots, which are read together, each once, strongly consistent. If the roots
 * cannot be read for now, the checks are requeued.
 * @returns one propagation for each rule and root, which names the copies that differ. Orphans and copies that their root
 * places elsewhere are left alone
 */
export async function checkCopies<SomeCheck extends Check>(
  context: PropagationContext,
  checks: readonly SomeCheck[],
): Promise<readonly PropagationOfChecks<SomeCheck>[]> {
  if (checks.length === 0) return [];
  const counts = { copies: 0, differing: 0, orphans: 0 };
  const needed: PropagationOfChecks<SomeCheck>[] = [];
  let left: readonly PropagationOfChecks<SomeCheck>[] = propagationsFor(checks);
  try {
    while (left.length > 0) {
      const asked = left;
      left = await withRoots(context, asked, (propagation, root) => {
        const differing = differingFrom(context, propagation, root, counts);
        if (differing.length === 0) return;
        const message = { ...propagation.message, copies: copiesOf(differing) };
        needed.push({ message, checks: differing });
      });
    }
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    context.telemetry.failed(error);
    await settle(
      context,
      left.map(({ message }) => ({ is: 'unavailable', message })),
    );
  }
  if (counts.copies > 0) context.telemetry.checked(counts);
  return needed;
}

/** The checks whose copies differ from this root. */
function differingFrom<SomeCheck extends Check>(
  { registry: { table } }: PropagationContext,
  { checks }: PropagationOfChecks<SomeCheck>,
  root: Item | undefined,
  counts: { copies: number; differing: number; orphans: number },
): readonly SomeCheck[] {
  const found = checks.map((one) => {
    const { rule, root: rootKey, copy, image } = one;
    return { one, is: planCheck({ table, rule, rootKey, root }, { key: copy, image }).is };
  });
  // The image of a refused copy may be old: its propagation reads the copy, and dead-letters it if it is still invalid.
  const differing = found
    .filter(({ is }) => is !== 'unchanged' && is !== 'foreign' && is !== 'orphan')
    .map(({ one }) => one);
  counts.copies += checks.length;
  counts.differing += differing.length;
  counts.orphans += found.filter(({ is }) => is === 'orphan').length;
  return differing;
}

/** One propagation for each rule and root, which names all of the copies. */
function propagationsFor<SomeCheck extends Check>(
  checks: readonly SomeCheck[],
): PropagationOfChecks<SomeCheck>[] {
  const byRoot = Map.groupBy(checks, ({ rule, root }) => JSON.stringify([rule.name, root.pk, root.sk]));
  return [...byRoot.values()].flatMap((ofRoot) => {
    const [first] = ofRoot;
    if (first === undefined) return [];
    const { rule, root } = first;
    const copies = copiesOf(ofRoot);
    return [{ message: { rule: rule.name, root, cause: 'check', copies, attempts: 0 }, checks: ofRoot }];
  });
}

/** The copies, each once: a batch may contain several records of one copy. */
function copiesOf(checks: readonly Check[]): ItemKey[] {
  return [...new Map(checks.map(({ copy }) => [keyText(copy), copy])).values()];
}

/** Reads the roots together, and visits each. @returns the propagations whose roots are too large to be read with the others */
async function withRoots<SomeCheck extends Check>(
  { table, memory, registry }: PropagationContext,
  propagations: readonly PropagationOfChecks<SomeCheck>[],
  visit: (propagation: PropagationOfChecks<SomeCheck>, root: Item | undefined) => void,
): Promise<readonly PropagationOfChecks<SomeCheck>[]> {
  const keys = new Map(propagations.map(({ message }) => [keyText(message.root), message.root]));
  return await holding(memory, mostBytes(keys.size), async () => {
    const { copies, unread } = await readKeys({ table, memory }, [...keys.values()]);
    const roots = byKeyText(registry.table, copies);
    const left = new Set(unread.map(keyText));
    return propagations.filter((one) => {
      const root = keyText(one.message.root);
      if (!left.has(root)) visit(one, roots.get(root));
      return left.has(root);
    });
  });
}
