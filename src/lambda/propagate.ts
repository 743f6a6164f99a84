import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { ExpiryEvidence } from '../adapters/stream-record.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { propagateBatch } from '../propagation/propagate-batch.ts';
import { streamResponse } from './batch-response.ts';
import { type PropagationOptions, propagationContext } from './propagation-context.ts';
import { flushing, type Invoked, LambdaTelemetry } from './telemetry.ts';

/** The handler of `Propagate`, which reads the table's stream and updates copies. */
export function propagateHandler({
  config,
  registry,
}: PropagationOptions): Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  const evidence = { globalTableReplica: config.GLOBAL_TABLE_REPLICA };
  const telemetry = new LambdaTelemetry();
  const contextOf = propagationContext({ config, registry }, telemetry);
  return flushing(telemetry, (event, invocation) => propagate(contextOf(invocation), evidence, event));
}

/** Processes a batch of the stream. */
export function propagate(
  context: PropagationContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  return streamResponse(context.registry.table, evidence, event, (records) =>
    propagateBatch(context, records),
  );
}
