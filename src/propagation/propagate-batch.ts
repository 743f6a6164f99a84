import { sameKey } from '../model/item.ts';
import type { Message } from '../model/message.ts';
import { standsIn } from '../model/copy-location.ts';
import { bellsOf, type Check, type Ring } from './plan/match.ts';
import { Attempts } from '../batch/batch-work.ts';
import { type CheckTurn, check } from './check-copies.ts';
import type { Engine } from './context.ts';
import { earliest, type Group, groupByItem, type StreamRecord, unreadableAsParked } from '../batch/group.ts';
import { defer, park } from './requeue.ts';
import { turn } from './propagate-root.ts';

/**
 * Works on a batch of stream records: grouped by item, each group once however many its records, the groups side by side.
 * @returns the records whose work was neither done nor handed on nor parked, with why; all others may be acknowledged
 * @throws Unworkable where no record could be worked on: the whole batch fails, and nothing of it is acknowledged
 */
export async function propagateBatch(
  engine: Engine,
  records: readonly StreamRecord[],
): Promise<ReadonlyMap<string, unknown>> {
  const attempts = new Attempts(engine.settings.concurrency, engine.telemetry);
  const { groups, unreadable } = groupByItem(records);
  const bells = groups.flatMap((group) => {
    const rung = attempts.plan(group.ids, () => bellsOf(engine.registry, group.changes));
    return rung === undefined ? [] : [{ group, ...rung }];
  });
  const rings = bells.flatMap(({ group, rings: rung }) => rung.map((ring) => ({ ...ring, group })));
  const checks = bells.flatMap(({ group, checks: asked }) => asked.map((one) => ({ ...one, group })));
  await Promise.all([
    ...unreadable.map(({ id, says }) => attempts.run([id], () => park(engine, unreadableAsParked(says)))),
    ...rings.map((ring) =>
      attempts.run(ring.group.ids, () => takeOrHandOn(engine, messageFor(ring), ring.group.changedAt)),
    ),
    checkAll(
      engine,
      checks.filter((one) => !isCovered(engine, one, rings)),
      attempts,
    ),
  ]);
  return attempts.outcome();
}

type Asked = Check & { readonly group: Group };

/**
 * Whether a turn of this batch reads the copy anyway: its root rings, and the copy stands where that turn looks, strongly
 * consistent. An index may not show the copy yet; so may a place that the root's record does not know of.
 */
export function isCovered(
  engine: Pick<Engine, 'registry'>,
  { rule, root, image }: Check,
  rings: readonly Ring[],
): boolean {
  if (rule.located.in === 'index') return false;
  const ring = rings.find((one) => one.rule === rule && sameKey(one.root, root));
  return ring?.places?.some((place) => standsIn(engine.registry.table, image, place)) === true;
}

/** Checks the copies of the whole batch together, so that each root is read once, and takes the turns that they call for. */
async function checkAll(engine: Engine, checks: readonly Asked[], attempts: Attempts): Promise<void> {
  let called: readonly CheckTurn<Asked>[] = [];
  await attempts.run(idsOf(checks), async () => {
    called = await check(engine, checks);
  });
  await Promise.all(
    called.map(({ message, asked }) =>
      attempts.run(idsOf(asked), () =>
        takeOrHandOn(engine, message, earliest(asked.flatMap(({ group }) => group.changes))),
      ),
    ),
  );
}

/** An invocation that is about to end begins nothing: the queue takes the turn. */
async function takeOrHandOn(engine: Engine, message: Message, changedAt: number | undefined): Promise<void> {
  if (engine.outOfTime()) await defer(engine, message);
  else await turn(engine, message, changedAt);
}

/** The turn that a ring asks for. */
export function messageFor({ rule, root, cause, places }: Ring): Message {
  return { rule: rule.name, root, cause, ...(places && { places: [...places] }), hops: 0 };
}

function idsOf(asked: readonly Asked[]): string[] {
  return [...new Set(asked.flatMap(({ group }) => group.ids))];
}
