import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Config } from '../../model/config.ts';
import type { ExpiryEvidence } from '../adapters/stream-record.ts';
import { deployedRules, propagationEnvironment } from '../environment.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { propagateBatch } from '../propagation/propagate-batch.ts';
import { requireStreamOf, streamResponse } from './batch-response.ts';
import { propagationContext } from './propagation-context.ts';
import { flushing, type Invoked, LambdaTelemetry } from './telemetry.ts';

/** The handler of `Propagate`, which reads the table's stream and updates copies. */
export function propagateHandler(config: Config): Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  const environment = propagationEnvironment();
  const evidence = { globalTableReplica: environment.GLOBAL_TABLE_REPLICA };
  const telemetry = new LambdaTelemetry();
  const contextOf = propagationContext({ environment, registry: deployedRules(config) }, telemetry);
  return flushing(telemetry, async (event, invocation) => {
    requireStreamOf(environment.TABLE_NAME, event);
    return propagate(contextOf(invocation), evidence, event);
  });
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
