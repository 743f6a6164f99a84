import { TransientError } from '../model/errors.ts';
import { byKeyText, type Item, type ItemKey, keyText } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import type { PropagationContext } from './context.ts';
import { classify } from './plan/classify.ts';
import type { Check } from './plan/match.ts';
import { requeueWhenAvailable } from './requeue.ts';

/** A propagation that checks call for, with the checks that called for it. */
export interface PropagationOfChecks<Asked extends Check> {
  readonly message: Message;
  readonly asked: readonly Asked[];
}

/**
 * Checks copies that came by on the stream against their roots, each root read once for all of them, strongly
 * consistent. A copy whose image equals the projection is done; those that differ come back as propagations with their copies
 * named, one for each rule and root. A copy that is not its root's own, or whose root is gone, is left alone. Where the
 * roots cannot be read for now, the checks are handed to the queue, copies and all.
 */
export async function checkCopies<Asked extends Check>(
  context: PropagationContext,
  checks: readonly Asked[],
): Promise<readonly PropagationOfChecks<Asked>[]> {
  if (checks.length === 0) return [];
  const { table } = context.registry;
  const propagations = propagationsFor(checks);
  const roots = await readRoots(context, propagations);
  if (roots === undefined) {
    for (const { message } of propagations) await requeueWhenAvailable(context, message);
    return [];
  }
  const counts = { copies: checks.length, differing: 0, orphans: 0 };
  const called = propagations.flatMap(({ asked, message }) => {
    const root = roots.get(keyText(message.root));
    const found = asked.map((one) => ({ one, is: classify(table, one.rule, one.root, root, one.image).is }));
    // A copy that is refused is read again by its turn, which dead-letters it if that is still so.
    const differing = found.filter(({ is }) => is === 'differs' || is === 'refused').map(({ one }) => one);
    counts.differing += differing.length;
    counts.orphans += found.filter(({ is }) => is === 'orphan').length;
    return differing.length === 0
      ? []
      : [{ message: { ...message, copies: copiesOf(differing) }, asked: differing }];
  });
  context.telemetry.checked(counts);
  return called;
}

/** One propagation for each rule and root, with all of its copies. */
function propagationsFor<Asked extends Check>(checks: readonly Asked[]): PropagationOfChecks<Asked>[] {
  const byRoot = Map.groupBy(checks, ({ rule, root }) => JSON.stringify([rule.name, root.pk, root.sk]));
  return [...byRoot.values()].flatMap((asked) => {
    const [first] = asked;
    if (first === undefined) return [];
    return [
      {
        message: {
          rule: first.rule.name,
          root: first.root,
          cause: 'check',
          copies: copiesOf(asked),
          attempts: 0,
        },
        asked,
      },
    ];
  });
}

/** The copies, each once: several records of one copy may stand in a batch. */
function copiesOf(checks: readonly Check[]): ItemKey[] {
  return [...new Map(checks.map(({ copy }) => [keyText(copy), copy])).values()];
}

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
