import type { EventSourceMappingConfiguration, LambdaClient } from '@aws-sdk/client-lambda';
import { asked } from '../../../worker/adapters/aws-errors.ts';

/** Needs `lambda:GetFunctionConfiguration`. */
export async function functionEnvironment(
  client: LambdaClient,
  functionName: string,
): Promise<Readonly<Record<string, string>>> {
  const { GetFunctionConfigurationCommand } = await import('@aws-sdk/client-lambda');
  const what = `GetFunctionConfiguration (lambda:GetFunctionConfiguration) of ${functionName}`;
  const command = new GetFunctionConfigurationCommand({ FunctionName: functionName });
  const { Environment } = await asked(what, () => client.send(command));
  return Environment?.Variables ?? {};
}

/** What brings a function its events. Needs `lambda:ListEventSourceMappings`. */
export async function eventSources(
  client: LambdaClient,
  FunctionName: string,
): Promise<readonly EventSourceMappingConfiguration[]> {
  const { ListEventSourceMappingsCommand } = await import('@aws-sdk/client-lambda');
  const { EventSourceMappings = [] } = await asked(
    `ListEventSourceMappings (lambda:ListEventSourceMappings) of ${FunctionName}`,
    () => client.send(new ListEventSourceMappingsCommand({ FunctionName })),
  );
  return EventSourceMappings;
}
