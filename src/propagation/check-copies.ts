import { TransientError } from '../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import type { PropagationContext } from './context.ts';
import { classify, classifyMissing } from './plan/classify.ts';
import type { Check } from './plan/match.ts';
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
  const { table } = context.registry;
  const propagations = propagationsFor(checks);
  const roots = await readRoots(context, propagations);
  if (roots === undefined) {
    await settle(
      context,
      propagations.map(({ message }) => ({ is: 'unavailable', message })),
    );
    return [];
  }
  const counts = { copies: checks.length, differing: 0, orphans: 0 };
  const needed = propagations.flatMap((propagation) => {
    const root = roots.get(keyText(propagation.message.root));
    const found = propagation.checks.map((one) => ({
      one,
      is: (one.image === undefined
        ? classifyMissing(table, one.rule, one.root, root, one.copy)
        : classify(table, one.rule, one.root, root, one.image)
      ).is,
    }));
    // The image of an invalid copy may be old: its propagation reads the copy, and dead-letters it if it is still invalid.
    const differing = found
      .filter(({ is }) => is === 'differs' || is === 'missing' || is === 'excluded' || is === 'refused')
      .map(({ one }) => one);
    counts.differing += differing.length;
    counts.orphans += found.filter(({ is }) => is === 'orphan').length;
    if (differing.length === 0) return [];
    const message = { ...propagation.message, copies: copiesOf(differing) };
    return [{ message, checks: differing }];
  });
  context.telemetry.checked(counts);
  return needed;
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

/** The roots by the text of their keys, or undefined if the table is unavailable. */
async function readRoots(
  context: PropagationContext,
  propagations: readonly PropagationOfChecks<Check>[],
): Promise<ReadonlyMap<string, Item> | undefined> {
  const keys = new Map(propagations.map(({ message }) => [keyText(message.root), message.root]));
  try {
    const roots = await context.table.getMany([...keys.values()]);
    return byKeyText(context.registry.table, roots);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    context.telemetry.failed(error);
    return undefined;
  }
}
