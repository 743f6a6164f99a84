import { strangerText } from '../check/check-kinds.ts';
import { DenormError } from '../model/basics/errors.ts';
import { type Change, imageOf } from '../model/items/change.ts';
import type { Item, ItemKey } from '../model/items/item.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import { classifier } from '../model/rules/kind-counts.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { Message } from '../model/work/message.ts';
import { type Check, matchChanges } from '../plan/match.ts';
import { planCheck } from '../plan/plan-copy.ts';
import { bareTarget, isMadeAt } from '../plan/plan-target.ts';
import { bareCopy } from '../plan/projection.ts';
import { type ExpiryEvidence, readStreamRecord } from '../worker/adapters/stream-record.ts';
import { readQueueRecord, recordsIn, sourceOf } from '../worker/lambda/event.ts';
import { readMessage } from '../worker/propagation/fan-out-batch.ts';
import { type Asked, askedBy, type PlannerOptions, plannedRounds } from './dry-run/planner.ts';
import type {
  ExplainedCost,
  ExplainedRound,
  ExplainedRule,
  ExplainedSubject,
  Explanation,
} from './explanation.ts';
import { rulesOfChange } from './rules-of-change.ts';
import { copyAfter, explainedRule, type Reason } from './sentences.ts';
import { explainedRound, sumOf } from './work.ts';

export interface ExplainOptions extends PlannerOptions {
  readonly values?: boolean;
}

/**
 * Explains the role of an item in each rule, and what the worker would do if it were put as it is: about its copies if it is a
 * root, about itself if it is a copy, which is compared with its root. At a key without an item, a rule may create a copy.
 */
export async function explainItem(options: ExplainOptions, key: ItemKey): Promise<Explanation> {
  const { registry, table } = options;
  const item = (await table.get(key))?.item;
  const before = item === undefined ? missingItem(registry, key) : undefined;
  const change = { key, before, after: item, sequence: 0n, expired: false, at: undefined };
  const asked = askedBy(registry, [change]);
  const { checks } = matchChanges(registry, [change]);
  const findings = await Promise.all(
    checks.map(async (check) => findingOf(check, (await table.get(check.root))?.item)),
  );
  const is = item === undefined ? 'missing item' : 'item';
  const roles = item === undefined ? unmadeTargets(registry, key) : rulesOfChange(registry, change);
  const rules = [...roles.filter(({ as, asks }) => as !== 'copy' || asks !== 'check'), ...findings];
  const subject = subjectOf(registry, is, { key, item, rules });
  return await explanationOf(options, [subject], asRepair(item === undefined ? { ...asked, checks } : asked));
}

/** What a check finds of a copy, as the worker decides it. */
function findingOf({ rule, root: rootKey, copy, image }: Check, root: Item | undefined): ExplainedRule {
  const found = planCheck({ rule, rootKey, root }, { key: copy, image });
  const explained = (reason: Omit<Reason, 'as' | 'asks' | 'of'>) =>
    explainedRule(rule, { as: 'copy', asks: 'check', of: [rootKey], ...reason });
  switch (found.is) {
    case 'update': {
      const { set, remove } = found.write;
      return explained({ because: 'wrong', attributes: [...Object.keys(set), ...remove] });
    }
    case 'remove':
      return explained({ because: 'withdrawn', note: copyAfter[rule.onDelete] });
    case 'taken':
    case 'later':
    case 'refuse':
      return explained({ because: 'invalid', fault: found.error });
    case 'unchanged':
      return explained({ because: 'right' });
    case 'create':
      return explained({ because: 'missing' });
    case 'foreign':
    case 'orphan':
      return explained({ because: found.is });
  }
}

/** What the key alone says of a copy or a target that would be created there. */
function missingItem({ rules, aggregates }: Registry, key: ItemKey): Item | undefined {
  const creating = rules.find((rule) => rule.creates && rule.copy.idsOf(key) !== undefined);
  const making = aggregates.find((one) => isMadeAt(one, key));
  return creating ? bareCopy(creating, key) : making && bareTarget(making, key);
}

function unmadeTargets({ aggregates }: Registry, key: ItemKey): readonly ExplainedRule[] {
  return aggregates
    .filter((one) => isMadeAt(one, key))
    .map((one) => explainedRule(one, { as: 'target', asks: 'check', because: 'unmade' }));
}

/** Nothing has changed, so nothing is looked for again later, and no computation waits. */
function asRepair({ propagations, checks }: Asked): Asked {
  const repairs = propagations.map(({ message }) => ({ message: { ...message, cause: 'repair' as const } }));
  return { records: 0, propagations: repairs, checks };
}

export type EventRecord =
  | { readonly change: Change }
  | { readonly message: Message }
  | { readonly unreadable: string };

/** @throws DenormError `event.unreadable` for an invalid event */
export function readEvent(
  registry: Registry,
  evidence: ExpiryEvidence,
  event: unknown,
): readonly EventRecord[] {
  const records = recordsIn(event);
  if (records === undefined)
    throw new DenormError(
      'event.unreadable',
      'Expected an event with a list of Records, as Lambda delivers it: see those in events/',
    );
  return records.map((record): EventRecord => {
    const sqs = sourceOf(record) === 'aws:sqs' ? readQueueRecord(record) : undefined;
    if (sqs !== undefined) {
      const message = readMessage(sqs.body);
      const unreadable = `${sqs.id}: expected a message with a rule, a root and a cause`;
      return message === undefined ? { unreadable } : { message };
    }
    const change = readStreamRecord(registry.table, record, evidence);
    return 'unreadable' in change ? { unreadable: `${change.record}: ${change.unreadable}` } : { change };
  });
}

export async function explainEvent(
  options: ExplainOptions,
  records: readonly EventRecord[],
): Promise<Explanation> {
  const { registry } = options;
  const subjects = records.map((record): ExplainedSubject => {
    if ('change' in record) return subjectOfChange(registry, record.change);
    const rest = { expired: false, kinds: [], rules: [], unconcerned: [] };
    if ('unreadable' in record) return { is: 'unreadable record', problem: record.unreadable, ...rest };
    return { is: 'message', key: record.message.root, ...rest };
  });
  const asked = askedBy(
    registry,
    records.flatMap((record) => ('change' in record ? [record.change] : [])),
  );
  const messages = records.flatMap((record) => ('message' in record ? [{ message: record.message }] : []));
  return await explanationOf(options, subjects, {
    ...asked,
    propagations: [...asked.propagations, ...messages],
  });
}

async function explanationOf(
  options: ExplainOptions,
  subjects: readonly ExplainedSubject[],
  asked: Asked,
): Promise<Explanation> {
  const { registry, values = false } = options;
  const planned = await plannedRounds(options, [asked]);
  const rounds = planned.map((batches) => explainedRound(registry, batches, values));
  return { subjects, rounds, cost: sumOf(rounds.flatMap(costsOf), registry.table) };
}

export function costsOf({ work, costOfChecks }: ExplainedRound): readonly ExplainedCost[] {
  return [costOfChecks, ...work.map(({ cost }) => cost)];
}

function subjectOfChange(registry: Registry, change: Change): ExplainedSubject {
  const { key, before, after, expired } = change;
  const is = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
  const rules = rulesOfChange(registry, change);
  return { ...subjectOf(registry, is, { key, item: imageOf({ before, after }), rules }), expired };
}

interface Found {
  readonly key: ItemKey;
  readonly item: Item | undefined;
  readonly rules: readonly ExplainedRule[];
}

function subjectOf(
  registry: Registry,
  is: ExplainedSubject['is'],
  { key, item, rules }: Found,
): ExplainedSubject {
  const found = item && classifier(registry)({ key, item });
  const problem = found && 'like' in found ? strangerText(registry.table, found) : undefined;
  const concerned = new Set(rules.map(({ rule }) => rule));
  const all = [...registry.rules, ...registry.aggregates, ...registry.archives].map(({ name }) => name);
  return {
    is,
    key,
    expired: false,
    kinds: kindsOf(registry, key, item),
    ...(problem !== undefined && { problem }),
    rules,
    unconcerned: all.filter((name) => !concerned.has(name)),
  };
}

/** The kinds of an item; without one, those of its key. */
function kindsOf(registry: Registry, key: ItemKey, item: Item | undefined): string[] {
  const kinds = registry.kinds.filter((kind) =>
    item === undefined ? kind.idsOf(key) !== undefined : isOfKind(kind, item),
  );
  return [...new Set(kinds.map(({ name }) => name))];
}

export function isRefused({ subjects, rounds }: Explanation): boolean {
  return (
    subjects.some(
      ({ is, rules }) => is === 'unreadable record' || rules.some(({ fault }) => fault !== undefined),
    ) || rounds.some(({ work }) => work.some(({ deadLettered }) => deadLettered.length > 0))
  );
}
