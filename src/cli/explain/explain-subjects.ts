import * as z from 'zod';
import { typeElsewhere, typeElsewhereText } from '../../develop/check/type-elsewhere.ts';
import type { Change } from '../../model/change.ts';
import { DenormError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { type AnyKind, isOfKind } from '../../model/kind.ts';
import type { Message } from '../../model/message.ts';
import { allKinds, type Registry } from '../../model/registry.ts';
import { type WhyComputed, whyComputed } from '../../operate/reasons/computation-reasons.ts';
import { type Why, whyMatched } from '../../operate/reasons/match-reasons.ts';
import { type WhyArchived, whyArchived } from '../../operate/reasons/why-archived.ts';
import { type ExpiryEvidence, readStreamRecord } from '../../worker/adapters/stream-record.ts';
import type { TablePort } from '../../worker/ports.ts';
import { readMessage } from '../../worker/propagation/fan-out-batch.ts';
import { describeKind } from '../rules/description.ts';
import { type AggregateRole, aggregateRoles, computationsFor } from './aggregate-roles.ts';
import { type Role, rolesOf, rolesOfKey } from './item-roles.ts';
import type { PlannedPropagation } from './planned-worker.ts';
import { planArchiving, type Round, roundOf, roundsAfter, type Stage } from './rounds.ts';

/** The subject of an explanation: a stream record, a queue message, or an item in its current state. */
export type Subject =
  | {
      readonly is: 'record';
      readonly change: Change;
      readonly kinds: readonly string[];
      /** How its type contradicts its key; undefined if it does not. */
      readonly contradiction: string | undefined;
      /** The names of all rules. */
      readonly rules: readonly string[];
      readonly whys: readonly Why[];
      readonly computed: readonly WhyComputed[];
      readonly archives: readonly WhyArchived[];
    }
  | { readonly is: 'message'; readonly message: Message }
  | { readonly is: 'unreadable'; readonly id: string; readonly reason: string }
  | {
      readonly is: 'item';
      readonly key: ItemKey;
      readonly item: Item | undefined;
      readonly kinds: readonly string[];
      /** How its type contradicts its key; undefined if it does not. */
      readonly contradiction: string | undefined;
      /** All kinds, with the patterns of their keys. */
      readonly allKinds: readonly string[];
      readonly rules: readonly string[];
      readonly roles: readonly Role[];
      readonly aggregates: readonly AggregateRole[];
      readonly archives: readonly WhyArchived[];
    };

/** The names of the item's kinds. */
export function kindsOf(registry: Registry, item: Item): string[] {
  return namesOf(registry, (kind) => isOfKind(registry.table, kind, item));
}

/** The names of the kinds whose keys match. */
export function kindsByKey(registry: Registry, key: ItemKey): string[] {
  return namesOf(registry, (kind) => kind.idsOf(key) !== undefined);
}

function namesOf(registry: Registry, fits: (kind: AnyKind) => boolean): string[] {
  return [
    ...new Set(
      allKinds(registry)
        .filter(fits)
        .map(({ name }) => name),
    ),
  ];
}

function contradictionOf(registry: Registry, item: Item | undefined): string | undefined {
  const found = item && typeElsewhere(registry)(item);
  return found && typeElsewhereText(registry, found);
}

export function ruleNames({ rules, aggregates, archives }: Registry): string[] {
  return [...rules, ...aggregates, ...archives].map(({ name }) => name);
}

/** The subjects, what the worker would do about them, and what would follow. */
export interface Explanation {
  readonly subjects: readonly Subject[];
  readonly first: Round;
  readonly after: readonly Round[];
}

const eventSchema = z.object({ Records: z.array(z.unknown()) });
const sqsRecordSchema = z.object({
  eventSource: z.literal('aws:sqs'),
  messageId: z.string(),
  body: z.string(),
});

/**
 * Reads the records of a Lambda event, from the stream or the fan-out queue.
 * @throws DenormError `event.unreadable` for an invalid event
 */
export function subjectsOf(registry: Registry, evidence: ExpiryEvidence, event: unknown): readonly Subject[] {
  const parsed = eventSchema.safeParse(event);
  if (!parsed.success)
    throw new DenormError(
      'event.unreadable',
      'Expected an event with a list of Records, as Lambda delivers it: see those in events/',
    );
  return parsed.data.Records.map((record) => subjectOf(registry, evidence, record));
}

function subjectOf(registry: Registry, evidence: ExpiryEvidence, record: unknown): Subject {
  const sqs = sqsRecordSchema.safeParse(record);
  if (sqs.success) {
    const message = readMessage(sqs.data.body);
    return message === undefined
      ? {
          is: 'unreadable',
          id: sqs.data.messageId,
          reason: 'Expected a message with a rule, a root and a cause',
        }
      : { is: 'message', message };
  }
  const says = readStreamRecord(registry.table, record, evidence);
  if ('unreadable' in says) return { is: 'unreadable', id: says.record, reason: says.unreadable };
  return {
    is: 'record',
    change: says,
    kinds: kindsOf(registry, says.after ?? says.before ?? {}),
    contradiction: contradictionOf(registry, says.after ?? says.before),
    rules: ruleNames(registry),
    whys: whyMatched(registry, says),
    computed: whyComputed(registry, says),
    archives: whyArchived(registry, says),
  };
}

/** Explains what the worker would do about these records. */
export async function explainEvent(stage: Stage, subjects: readonly Subject[]): Promise<Explanation> {
  const changes = subjects.flatMap((subject): Change[] => (subject.is === 'record' ? [subject.change] : []));
  const round = await roundOf(stage, changes);
  const propagations: PlannedPropagation[] = [];
  for (const subject of subjects)
    if (subject.is === 'message') propagations.push(await stage.worker.propagate(subject.message));
  const first = { ...round, propagations: [...round.propagations, ...propagations] };
  return { subjects, first, after: await roundsAfter(stage, first.propagations) };
}

/**
 * Explains the current role of an item in each rule. For a root, this includes its propagation; for a copy,
 * its check and the propagation that the check requires.
 * @param table where the item is read
 */
export async function explainItem(stage: Stage, table: TablePort, key: ItemKey): Promise<Explanation> {
  const { registry, worker, archive } = stage;
  const item = await table.get(key);
  const roles =
    item === undefined ? await rolesOfKey(registry, table, key) : await rolesOf(registry, table, item);
  const aggregates = item === undefined ? [] : aggregateRoles(registry, item);
  const seen: Change = { key, before: undefined, after: item, sequence: 0n, expired: false, at: undefined };
  const archived = await planArchiving(registry, worker.table, archive, [seen]);
  const propagations: PlannedPropagation[] = [];
  for (const { as, rule } of roles)
    if (as !== 'copy')
      propagations.push(await worker.propagate({ rule: rule.name, root: key, cause: 'repair', attempts: 0 }));
  const checks = roles.flatMap((role) =>
    role.as !== 'copy' || role.root === undefined
      ? []
      : [{ rule: role.rule, root: role.root, copy: key, image: item }],
  );
  const check = checks.length === 0 ? undefined : await worker.check(checks);
  for (const { message } of check?.propagations ?? []) propagations.push(await worker.propagate(message));
  for (const message of computationsFor(key, aggregates)) propagations.push(await worker.propagate(message));
  return {
    subjects: [
      {
        ...{ is: 'item', key, item, roles, aggregates },
        kinds: item === undefined ? kindsByKey(registry, key) : kindsOf(registry, item),
        contradiction: contradictionOf(registry, item),
        allKinds: [...new Set(allKinds(registry).map(describeKind))],
        rules: ruleNames(registry),
        archives: item === undefined ? [] : whyArchived(registry, seen),
      },
    ],
    first: { changes: 0, propagations, check, archived: archived === undefined ? [] : [archived] },
    after: await roundsAfter(stage, propagations),
  };
}
