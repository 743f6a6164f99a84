import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Config } from '../../model/rules/config.ts';
import type { ExpiryEvidence } from '../adapters/stream-record.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { propagateBatch } from '../propagation/propagate-batch.ts';
import { requireStreamOf, streamResponse } from './batch-response.ts';
import { handler, type Invoked } from './handler.ts';
import { propagationContext } from './propagation-context.ts';
import { LambdaTelemetry } from './telemetry.ts';

/** The handler of `Propagate`, which reads the table's stream and updates copies. */
export function propagateHandler(config: Config): Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse> {
  return handler('Propagate', config, LambdaTelemetry, ({ settings, registry, telemetry }) => {
    const evidence = { globalTableReplica: settings.globalTableReplica };
    const contextOf = propagationContext(settings, registry, telemetry);
    return async (event, invocation) => {
      requireStreamOf(settings.tableName, event);
      return propagate(contextOf(invocation), evidence, event);
    };
  });
}

export function propagate(
  context: PropagationContext,
  evidence: ExpiryEvidence,
  event: DynamoDBStreamEvent,
): Promise<DynamoDBBatchResponse> {
  return streamResponse(context.registry.table, evidence, event, (records) =>
    propagateBatch(context, records),
  );
}
