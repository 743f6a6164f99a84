import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Config } from '../../model/config.ts';
import { deployedRules, fanOutEnvironment } from '../environment.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { fanOutBatch, type QueueRecord, readMessage } from '../propagation/fan-out-batch.ts';
import { queueResponse } from './batch-response.ts';
import { propagationContext } from './propagation-context.ts';
import { flushing, type Invoked, LambdaTelemetry, type Redelivery } from './telemetry.ts';

/** The handler of `FanOut`, which runs the propagations in the queue: the rest of large fan-outs, retries and rechecks. */
export function fanOutHandler(config: Config): Invoked<SQSEvent, SQSBatchResponse> {
  const telemetry = new LambdaTelemetry();
  const options = { environment: fanOutEnvironment(), registry: deployedRules(config) };
  const contextOf = propagationContext(options, telemetry);
  return flushing(telemetry, (event, invocation) =>
    queueResponse(event, (records) => {
      const again = redeliveries(records);
      if (again.length > 0) telemetry.receivedAgain(again);
      return fanOutBatch(contextOf(invocation), records);
    }),
  );
}

function redeliveries(records: readonly QueueRecord[]): readonly Redelivery[] {
  return records.flatMap(({ id, body, receives = 1 }) =>
    receives > 1 ? [{ id, receives, message: readMessage(body) }] : [],
  );
}

/** Processes a batch of the queue. */
export function fanOut(context: PropagationContext, event: SQSEvent): Promise<SQSBatchResponse> {
  return queueResponse(event, (records) => fanOutBatch(context, records));
}
