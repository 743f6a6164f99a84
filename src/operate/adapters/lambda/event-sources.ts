import {
  type EventSourceMappingConfiguration,
  type LambdaClient,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda';
import { asked } from '../../../worker/adapters/aws-errors.ts';

/** What brings a function its events. Needs `lambda:ListEventSourceMappings`. */
export async function eventSources(
  client: LambdaClient,
  FunctionName: string,
): Promise<readonly EventSourceMappingConfiguration[]> {
  const { EventSourceMappings = [] } = await asked(
    `ListEventSourceMappings (lambda:ListEventSourceMappings) of ${FunctionName}`,
    () => client.send(new ListEventSourceMappingsCommand({ FunctionName })),
  );
  return EventSourceMappings;
}
