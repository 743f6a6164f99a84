import pLimit from 'p-limit';
import { TransientError } from '../../model/basics/errors.ts';
import { distinctKeys } from '../../model/items/copy-location.ts';
import { type ItemKey, keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import {
  type GuardedAction,
  type GuardedUpdate,
  isCreation,
  type WriteOutcome,
} from '../../model/work/guarded-write.ts';
import type { DeadLetter, Message } from '../../model/work/message.ts';
import { type ClockPort, defaultSettings, type TablePort, type TelemetryPort } from '../../worker/ports.ts';
import { maxOutageMs } from '../../worker/retry.ts';
import { Interrupted } from '../../worker/scan/metered-table.ts';
import { type Mapped, unmappedOn } from '../../worker/verify/classify-copy.ts';
import { type Drift, isRepairable, type RepairableDrift } from '../../worker/verify/drift.ts';
import { drain, InMemoryQueue } from './drain.ts';

export interface PropagationsOptions {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly clock: ClockPort;
  readonly telemetry: TelemetryPort;
  readonly concurrency: number;
  /** Whether copies, and attributes that no rule names, may be removed. */
  readonly allowRemove: boolean;
  /** Whether that holds for removals by records too, which a repair has none of. */
  readonly refusesRemovals?: true;
  readonly stop: () => boolean;
}

/** A copy that was left as it is, because a person must allow the write or correct the data first. */
export interface LeftAlone {
  readonly rule: string;
  readonly copy: ItemKey | undefined;
  readonly root: ItemKey | undefined;
  /**
   * `unmapped` if the write would remove attributes that no rule names; `excluded` if it would remove the copy, because
   * `when` is false for its root; `empty` if it would remove the target, because it has no members; `unlisted` if it would remove the copy, because its root has left its key; otherwise the
   * reason why it cannot be written.
   */
  readonly code: string;
  readonly reason: string;
}

const reportedCounts = ['written', 'removed', 'unchanged', 'lost'] as const;

/**
 * What is counted of propagations: those that ran to their end, and copies
 * - `written`;
 * - `removed`, from a location that the root has left, or because `when` is false for it;
 * - `unchanged`, because they were right already;
 * - `lost`: writes that lost their condition to another writer and were repeated.
 */
export const outcomeCounts = ['propagations', ...reportedCounts] as const;

export interface PropagationsOutcome extends Readonly<Record<(typeof outcomeCounts)[number], number>> {
  readonly leftAlone: readonly LeftAlone[];
  /** Propagations that were stopped before their end. Their writes are counted. */
  readonly unfinished: readonly Message[];
  /** The error that stopped them, if one did: the outcome is reported before it is thrown. */
  readonly failure?: unknown;
}

export const nothing: PropagationsOutcome = {
  propagations: 0,
  written: 0,
  removed: 0,
  unchanged: 0,
  lost: 0,
  leftAlone: [],
  unfinished: [],
};

/** No pace: the table keeps to the command's own budget. */
const settings = {
  ...defaultSettings,
  recheckDelaySeconds: 0,
  maxAttempts: 5,
  maxUnavailableSeconds: maxOutageMs / 1000,
  fanOutWriteUnits: Number.POSITIVE_INFINITY,
};

const reasons = {
  unmapped:
    'The write would remove attributes that no rule names: review them, then add them to the rule, or allow it with --allow-remove',
  excluded:
    'The write would remove the copy, or what the rule wrote on it, because when is false for its root: review it, then allow it with --allow-remove',
  removed:
    'The write would remove the copy, or what the rule wrote on it, because its root went, or places it elsewhere, or it names none: review it, then allow it with --allow-remove',
  empty:
    'The write would remove the target, because it has no members: review it, then allow it with --allow-remove',
  unlisted:
    'The write would remove the copy, or what the rule wrote on it, because its root does not list its key: review it, then allow it with --allow-remove',
} as const;

/** Runs the worker's own propagations for a command. Commands write copies in no other way. */
export class Propagations {
  private readonly options: PropagationsOptions;

  constructor(options: PropagationsOptions) {
    this.options = options;
  }

  /**
   * Repairs drift that {@link isRepairable}; other drift is skipped. A propagation reads root and copies again. Copies of one
   * root share a propagation.
   * @returns what was done, and the drift whose repair was stopped
   */
  async repair(
    drifts: readonly Drift[],
  ): Promise<PropagationsOutcome & { readonly postponed: readonly Drift[] }> {
    const repairable = drifts.filter(isRepairable);
    const denied = this.options.allowRemove ? [] : repairable.filter(({ kind }) => kind === 'unlisted');
    const leftAlone = denied.map(({ rule, copy, root }) => ({ rule, copy, root, ...whyRefused('unlisted') }));
    const outcome = await this.take(this.repairs(repairable.filter((drift) => !denied.includes(drift))));
    const unfinished = new Set(
      outcome.unfinished.flatMap(({ rule, root, copies = [root] }) =>
        copies.map((copy) => `${rule} ${keyText(copy)}`),
      ),
    );
    return {
      ...outcome,
      leftAlone: [...leftAlone, ...outcome.leftAlone],
      postponed: drifts.filter(({ rule, copy }) => unfinished.has(`${rule} ${keyText(copy)}`)),
    };
  }

  /** Never rejects: after a failure, the rest is unfinished. */
  async take(messages: readonly Message[]): Promise<PropagationsOutcome> {
    const outcome: Taken = { ...nothing, leftAlone: [], unfinished: [] };
    const limit = pLimit(this.options.concurrency);
    await Promise.all(
      messages.map((message) =>
        limit(async () => {
          if (await this.run(message, outcome)) outcome.propagations += 1;
          else outcome.unfinished.push(message);
        }),
      ),
    );
    return outcome;
  }

  /** @returns whether it ran to its end */
  private async run(message: Message, outcome: Taken): Promise<boolean> {
    const { registry, clock, stop, allowRemove, refusesRemovals } = this.options;
    if (outcome.failure !== undefined) return false;
    // Of this propagation alone: denials of all would grow with the table.
    const { port, denials } = protectTable(this.options.table, registry, refusesRemovals);
    const table = allowRemove ? this.options.table : port;
    const queue = new InMemoryQueue(clock, {
      deadLetter: async (deadLetters) => {
        for (const one of deadLetters)
          if (one.code === 'unavailable.too-long') outcome.failure = new TransientError(one.code, one.reason);
          else outcome.leftAlone.push(...this.leftAloneBy(message, one, denials));
      },
    });
    const outOfTime = () => stop() || outcome.failure !== undefined;
    const telemetry: TelemetryPort = {
      ...this.options.telemetry,
      propagated: (report) => {
        this.options.telemetry.propagated(report);
        for (const name of reportedCounts) outcome[name] += report[name];
      },
    };
    try {
      const finished = await drain({ registry, table, telemetry, settings, outOfTime, clock, queue }, queue, [
        message,
      ]);
      return finished && outcome.failure === undefined;
    } catch (error) {
      if (!(error instanceof Interrupted)) outcome.failure ??= error;
      return false;
    }
  }

  private leftAloneBy(
    { rule, root }: Message,
    { code, reason, message }: DeadLetter,
    denials: ReadonlyMap<string, Denial>,
  ): LeftAlone[] {
    const target = this.options.registry.aggregate(rule) && root;
    const copies: readonly (ItemKey | undefined)[] = message?.copies ?? [target];
    return copies.map((copy) => {
      const isRefused = code === 'copy.refused' || code === 'target.refused';
      const denial = copy !== undefined && isRefused ? denials.get(keyText(copy)) : undefined;
      return { rule, copy, root, ...(denial === undefined ? { code, reason } : whyRefused(denial)) };
    });
  }

  /**
   * One propagation for each rule and root, with the copies to repair; a target is computed apart from its entries. Keys that the root
   * has left are its locations: `onDelete` applies there, unless the root is gone, or places a copy there again.
   */
  private repairs(drifts: readonly RepairableDrift[]): Message[] {
    const isTarget = ({ rule, isOfEntry }: Drift) =>
      !isOfEntry && this.options.registry.aggregate(rule) !== undefined;
    const byRoot = Map.groupBy(drifts, (drift) =>
      JSON.stringify([drift.rule, drift.root.pk, drift.root.sk, isTarget(drift)]),
    );
    return [...byRoot.values()].flatMap((some): Message[] => {
      const [drift] = some;
      if (drift === undefined) return [];
      const unlisted = some.filter(({ kind }) => kind === 'unlisted').map(({ copy }) => copy);
      const formerPlaces: Pick<Message, 'locations'> = {
        locations: [{ in: 'keys', keys: [...distinctKeys(unlisted)] }],
      };
      const copies = [...distinctKeys(some.map(({ copy }) => copy))];
      const { rule, root } = drift;
      const named = isTarget(drift) ? {} : { ...(unlisted.length > 0 && formerPlaces), copies };
      return [{ rule, root, cause: 'repair', ...named, attempts: 0 }];
    });
  }
}

type Taken = Record<(typeof outcomeCounts)[number], number> & {
  readonly leftAlone: LeftAlone[];
  readonly unfinished: Message[];
  failure?: unknown;
};

function whyRefused(code: keyof typeof reasons): Pick<LeftAlone, 'code' | 'reason'> {
  return { code, reason: reasons[code] };
}

/** A refused write would remove attributes that no rule names, a copy whose root is excluded, a target without members, or any copy. */
export type Denial = 'unmapped' | 'excluded' | 'empty' | 'removed';

/** Refuses every write that a person has to allow. `denials`, which is live, has the reasons by the text of the copies' keys. */
export function protectTable(
  port: TablePort,
  registry: Mapped,
  refusesRemovals = false,
): { readonly port: TablePort; readonly denials: ReadonlyMap<string, Denial> } {
  const denials = new Map<string, Denial>();
  function isProtected({ key, remove }: GuardedUpdate): boolean {
    if (unmappedOn(registry, key, remove).length === 0) return false;
    denials.set(keyText(key), 'unmapped');
    return true;
  }
  return {
    denials,
    port: {
      get: (key) => port.get(key),
      getMany: (keys) => port.getMany(keys),
      query: (...args) => port.query(...args),
      async transact(root, actions) {
        const denied = actions.map((action) => denialOf(action, refusesRemovals));
        for (const [index, { key }] of actions.entries()) {
          const denial = denied[index];
          if (denial !== undefined) denials.set(keyText(key), denial);
        }
        const allowed = actions.filter((_, index) => denied[index] === undefined);
        return outcomesOf(
          denied.map((one) => one !== undefined),
          await port.transact(root, allowed),
        );
      },
      async update(updates) {
        const areDenied = updates.map(isProtected);
        const allowed = updates.filter((_, index) => !areDenied[index]);
        return outcomesOf(areDenied, await port.update(allowed));
      },
    },
  };
}

function denialOf(action: GuardedAction, refusesRemovals: boolean): Denial | undefined {
  if (isCreation(action)) return undefined;
  if (action.empty) return 'empty';
  if (action.excluded) return 'excluded';
  return refusesRemovals ? 'removed' : undefined;
}

/** @param made the outcomes of the writes that are not denied */
function outcomesOf(areDenied: readonly boolean[], made: readonly WriteOutcome[]): readonly WriteOutcome[] {
  const outcomes = [...made];
  return areDenied.map((is) => (is ? 'refused' : (outcomes.shift() ?? 'unavailable')));
}
