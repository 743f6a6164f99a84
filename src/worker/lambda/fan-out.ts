import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Config } from '../../model/rules/config.ts';
import type { PropagationContext } from '../propagation/context.ts';
import { fanOutBatch } from '../propagation/fan-out-batch.ts';
import { queueResponse } from './batch-response.ts';
import { handler, type Invoked } from './handler.ts';
import { propagationContext } from './propagation-context.ts';
import { LambdaTelemetry } from './telemetry.ts';

/** The handler of `FanOut`, which runs the propagations in the queue: the rest of large fan-outs, retries and rechecks. */
export function fanOutHandler(config: Config): Invoked<SQSEvent, SQSBatchResponse> {
  return handler('FanOut', config, LambdaTelemetry, ({ settings, registry, telemetry }) => {
    const contextOf = propagationContext(settings, registry, telemetry);
    return (event, invocation) => fanOut(contextOf(invocation), event);
  });
}

export function fanOut(context: PropagationContext, event: SQSEvent): Promise<SQSBatchResponse> {
  return queueResponse(event, (records) => fanOutBatch(context, records));
}
