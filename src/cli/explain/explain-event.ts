import * as z from 'zod';
import { type ExpiryEvidence, readStreamRecord } from '../../adapters/stream-record.ts';
import { whyArchived } from '../../archive/why-archived.ts';
import type { Change } from '../../model/change.ts';
import { DenormError } from '../../model/errors.ts';
import type { Registry } from '../../model/registry.ts';
import { readMessage } from '../../propagation/fan-out-batch.ts';
import { whyMatched } from '../../propagation/plan/match-reasons.ts';
import type { PlannedPropagation } from './planned-worker.ts';
import { type Round, roundOf, roundsAfter, type Stage } from './rounds.ts';
import { kindsOf, ruleNames, type Subject } from './subjects.ts';

/** What was asked about, what the worker would do about it, and what comes of that. */
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
 * The records of an event, as a Lambda function is handed them: of the stream, or of the fan-out queue.
 * @throws DenormError `event.unreadable` where it is none
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
    rules: ruleNames(registry),
    whys: whyMatched(registry, says),
    archives: whyArchived(registry, says),
  };
}

/** What the worker would do about these records. */
export async function explainEvent(stage: Stage, subjects: readonly Subject[]): Promise<Explanation> {
  const changes = subjects.flatMap((subject): Change[] => (subject.is === 'record' ? [subject.change] : []));
  const round = await roundOf(stage, changes);
  const propagations: PlannedPropagation[] = [];
  for (const subject of subjects)
    if (subject.is === 'message') propagations.push(await stage.worker.propagate(subject.message));
  const first = { ...round, propagations: [...round.propagations, ...propagations] };
  return { subjects, first, after: await roundsAfter(stage, first.propagations) };
}
