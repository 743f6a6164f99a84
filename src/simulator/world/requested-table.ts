import { locationText } from '../../model/items/copy-location.ts';
import { type ItemKey, type KeyedItem, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type Expectation, isCreation, type WriteOutcome } from '../../model/work/guarded-write.ts';
import type { Cursor } from '../../model/work/message.ts';
import type { ModelTable } from '../../testing/table-model/model-table.ts';
import type { Page, TablePort, WriteOptions } from '../../worker/ports.ts';
import type { FaultProfile } from '../fault-profile.ts';
import type { Findings } from '../oracle/findings.ts';
import type { Clock } from './clock.ts';
import type { Deployments } from './deployments.ts';
import type { Fault } from './fault-kinds.ts';
import type { Invocation } from './invocation.ts';
import type { LateEffects } from './late-effects.ts';

interface WriteCounts {
  written: number;
  lost: number;
}

export interface TableEnvironment {
  readonly registry: Registry;
  readonly profile: FaultProfile;
  readonly clock: Clock;
  readonly table: ModelTable;
  readonly counts: WriteCounts;
  readonly findings: Findings;
  readonly late: LateEffects;
  /** Items to which a write of the worker took effect later than the recheck delay after it had been asked for. */
  readonly writtenLate: Set<string>;
  readonly deployments: Deployments;
  isAway(): boolean;
  /** Whether a partition takes one more write. */
  admits(pk: string): boolean;
}

/** Every item of a request is a request of its own: neither a batch read nor a batch of statements is a snapshot. */
export function requestedTable(world: TableEnvironment, invocation: Invocation): TablePort {
  const { table, counts, findings, registry } = world;
  const isSweep = invocation.task === 'sweep';

  function request<T>(text: string, call: object, effect: (fault: Fault | undefined) => T): Promise<T> {
    return invocation.request(
      text,
      (fault) => effect(!isSweep && world.isAway() ? 'throttled' : fault),
      call,
    );
  }

  function read(
    verb: string,
    key: ItemKey,
    call: object,
    leave?: () => void,
  ): Promise<KeyedItem | undefined> {
    return request(`${verb} ${keyText(key)}`, call, (fault) => {
      if (fault === 'partial' && leave !== undefined) {
        leave();
        return undefined;
      }
      if (fault !== 'partial') invocation.refuse(fault);
      return table.keyedAt(key);
    });
  }

  /** Where part of a call fails, the whole call throws, although other parts of it took effect. */
  function write(
    verb: 'update' | 'remove' | 'create',
    key: ItemKey,
    call: object,
    options: WriteOptions | undefined,
    effect: () => WriteOutcome,
  ): Promise<WriteOutcome> {
    const text = `${verb} ${keyText(key)}`;
    const madeAt = world.clock.now;
    return request(text, call, (served) => {
      const fault = served ?? (isSweep || world.admits(key.pk) ? undefined : 'throttled');
      if (fault === 'denied' || fault === 'partial') invocation.refuse(fault);
      if (fault === 'throttled' && options?.isPaced === true) return 'throttled';
      if (fault !== undefined) invocation.isUnhandled = true;
      if (fault === 'late')
        world.late.add(`${invocation.name} ${text}`, () => void counted(key, madeAt, effect));
      if (fault === 'throttled' || fault === 'late') return 'unavailable';
      const outcome = counted(key, madeAt, effect);
      options?.onSpent?.(1, 1);
      return fault === undefined ? outcome : 'unavailable';
    });
  }

  function counted(key: ItemKey, madeAt: number, effect: () => WriteOutcome): WriteOutcome {
    const changes = table.history.length;
    const outcome = world.deployments.by(registry, effect);
    if (isSweep) return outcome;
    if (outcome === 'lost' || outcome === 'root') counts.lost += 1;
    if (outcome === 'written') counts.written += 1;
    const recheckDelayMs = world.profile.settings.recheckDelaySeconds * 1000;
    if (outcome === 'written' && world.clock.now - madeAt > recheckDelayMs)
      world.writtenLate.add(keyText(key));
    if (outcome === 'written' && table.history.length === changes)
      findings.violated(6, 'the worker writes what is there already', keyText(key));
    return outcome;
  }

  /** Where a call fails as a whole, nobody learns which of its writes were throttled. */
  async function together(writes: readonly Promise<WriteOutcome>[]): Promise<readonly WriteOutcome[]> {
    const outcomes = await Promise.all(writes);
    if (outcomes.includes('written')) invocation.written = true;
    if (outcomes.includes('throttled')) invocation.throttled = true;
    return outcomes;
  }

  return {
    get: (key) => read('get', key, {}),
    async getMany(keys, { onUnread } = {}) {
      const call = {};
      const unread: ItemKey[] = [];
      // A response always has some of the items.
      const leave = (key: ItemKey) =>
        onUnread === undefined || key === keys[0] ? undefined : () => void unread.push(key);
      const some = onUnread === undefined ? keys : keys.slice(0, world.profile.readAtOnce);
      unread.push(...keys.slice(some.length));
      const items = await Promise.all(some.map((key) => read('read', key, call, leave(key))));
      if (unread.length > 0) onUnread?.(unread);
      return items.filter((item) => item !== undefined);
    },
    /** A search of an index up to a key goes by pages of two, so that there are several. */
    query(location, size, from, whole) {
      const isIndex = location.in === 'index';
      const limit = location.to === undefined ? size : Math.min(size, 2);
      return request(`query ${locationText(location)} ${after(from)}`, {}, (fault): Page<KeyedItem> => {
        if (fault !== 'partial') invocation.refuse(fault);
        if (isIndex && fault === 'partial' && from !== undefined) {
          invocation.emptied = true;
          return { entries: [], next: from };
        }
        return table.query(location, !isIndex && fault === 'partial' ? 1 : limit, from, whole);
      });
    },
    update(updates, options) {
      const call = {};
      const writes = updates.map((update) =>
        write('update', update.key, call, options, () =>
          exceedsExpressions(update.expect, [...Object.keys(update.set), ...update.remove])
            ? 'refused'
            : table.guardedUpdate(update, isSweep ? 'sweep' : 'worker'),
        ),
      );
      return together(writes);
    },
    transact(root, actions, options) {
      const call = {};
      const writes = actions.map((action) =>
        write(isCreation(action) ? 'create' : 'remove', action.key, call, options, () =>
          !isCreation(action) && exceedsExpressions(action.expect, action.clear ?? [])
            ? 'refused'
            : (table.guardedTransaction(root, [action])[0] ?? 'unavailable'),
        ),
      );
      return together(writes);
    },
  };
}

function after(from: Cursor | undefined): string {
  return from === undefined ? 'from its start' : `after ${JSON.stringify(Object.values(from))}`;
}

/** What an expression takes: operators, of which each comparison has two, and bytes. Source: AWS, "Quotas". */
const maxOperators = 300;
const maxBytes = 4096;

function exceedsExpressions(expect: Expectation, changes: readonly string[]): boolean {
  const compared = Object.keys(expect);
  const bytes = (names: readonly string[]) => names.reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return (
    2 * compared.length > maxOperators ||
    changes.length > maxOperators ||
    Math.max(bytes(compared), bytes(changes)) > maxBytes
  );
}

/**
 * The write capacity of each partition: so many units a second, and never more at once. Applications do not use it up.
 * @returns whether a partition takes one more unit, which is used up then
 */
export function partitionCapacity(unitsPerSecond: number, clock: Clock, findings: Findings) {
  const partitions = new Map<string, { readonly left: number; readonly at: number }>();
  return (pk: string): boolean => {
    if (unitsPerSecond === Number.POSITIVE_INFINITY) return true;
    const { now } = clock;
    const { left, at } = partitions.get(pk) ?? { left: unitsPerSecond, at: now };
    const refilled = Math.min(unitsPerSecond, left + ((now - at) / 1000) * unitsPerSecond);
    const takes = refilled >= 1;
    if (!takes) findings.fault('writes throttled by a partition');
    partitions.set(pk, { left: takes ? refilled - 1 : refilled, at: now });
    return takes;
  };
}
