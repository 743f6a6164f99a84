import { TransientError } from '../../model/basics/errors.ts';
import { byKey, type Item, type ItemKey, keyText } from '../../model/items/item.ts';
import type { Message } from '../../model/work/message.ts';
import type { Check } from '../../plan/match.ts';
import { planCheck } from '../../plan/plan-copy.ts';
import type { PropagationContext } from './context.ts';
import { readKeys } from './copy-pages.ts';
import { type Delivery, type Origin, originOfAll } from './deliveries.ts';
import { holding, mostBytes } from './item-memory.ts';
import { settle } from './settle.ts';

type CheckWithOrigin = Check & Origin;

interface ChecksOfRoot {
  readonly message: Message;
  readonly checks: readonly CheckWithOrigin[];
}

/**
 * If the roots cannot be read for now, the checks are requeued.
 * @returns what differs, and what is not looked at because its rule is held, in one propagation for each root
 */
export async function checkCopies(
  context: PropagationContext,
  checks: readonly CheckWithOrigin[],
): Promise<readonly Delivery[]> {
  if (checks.length === 0) return [];
  const counts = { copies: 0, differing: 0, orphans: 0 };
  const isHeld = ({ message }: ChecksOfRoot) => context.held?.(message.rule) !== undefined;
  const all = byRoot(checks);
  const needed: Delivery[] = all
    .filter(isHeld)
    .map(({ message, checks: ofRoot }) => ({ ...originOfAll(ofRoot), message }));
  let pending: readonly ChecksOfRoot[] = all.filter((one) => !isHeld(one));
  try {
    while (pending.length > 0)
      pending = await withRoots(context, pending, (ofRoot, root) => {
        const differing = differingFrom(ofRoot.checks, root, counts);
        if (differing.length === 0) return;
        const message = { ...ofRoot.message, copies: copiesOf(differing) };
        needed.push({ ...originOfAll(differing), message });
      });
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    context.telemetry.failed(error);
    await settle(
      context,
      pending.map(({ message }) => ({ is: 'unavailable', message })),
    );
  }
  if (counts.copies > 0) context.telemetry.checked(counts);
  return needed;
}

function differingFrom(
  checks: readonly CheckWithOrigin[],
  root: Item | undefined,
  counts: { copies: number; differing: number; orphans: number },
): readonly CheckWithOrigin[] {
  const found = checks.map((one) => {
    const { rule, root: rootKey, copy, image } = one;
    return { one, is: planCheck({ rule, rootKey, root }, { key: copy, image }).is };
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

function byRoot(checks: readonly CheckWithOrigin[]): readonly ChecksOfRoot[] {
  const groups = Map.groupBy(checks, ({ rule, root }) => JSON.stringify([rule.name, root.pk, root.sk]));
  return [...groups.values()].flatMap((ofRoot): readonly ChecksOfRoot[] => {
    const [first] = ofRoot;
    if (first === undefined) return [];
    const { rule, root } = first;
    const message: Message = { rule: rule.name, root, cause: 'check', copies: copiesOf(ofRoot), attempts: 0 };
    return [{ message, checks: ofRoot }];
  });
}

/** A batch may contain several records of one copy. */
function copiesOf(checks: readonly Check[]): ItemKey[] {
  return [...new Map(checks.map(({ copy }) => [keyText(copy), copy])).values()];
}

/** @returns those whose roots are too large to be read with the others */
async function withRoots(
  { table, memory }: PropagationContext,
  checks: readonly ChecksOfRoot[],
  visit: (ofRoot: ChecksOfRoot, root: Item | undefined) => void,
): Promise<readonly ChecksOfRoot[]> {
  const keys = new Map(checks.map(({ message }) => [keyText(message.root), message.root]));
  return await holding(memory, mostBytes(keys.size), async () => {
    const { copies, unread } = await readKeys({ table, memory }, [...keys.values()]);
    const rootAt = byKey(copies);
    const unreadKeys = new Set(unread.map(keyText));
    return checks.filter((one) => {
      const isUnread = unreadKeys.has(keyText(one.message.root));
      if (!isUnread) visit(one, rootAt(one.message.root)?.item);
      return isUnread;
    });
  });
}
