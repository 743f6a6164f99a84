import type { LambdaClient } from '@aws-sdk/client-lambda';
import { fromAws } from '../../../worker/adapters/aws-errors.ts';

/** The environment variables of a deployed function. Needs `lambda:GetFunctionConfiguration`. */
export async function functionEnvironment(
  client: LambdaClient,
  functionName: string,
): Promise<Readonly<Record<string, string>>> {
  const { GetFunctionConfigurationCommand } = await import('@aws-sdk/client-lambda');
  try {
    const { Environment } = await client.send(
      new GetFunctionConfigurationCommand({ FunctionName: functionName }),
    );
    return Environment?.Variables ?? {};
  } catch (error) {
    throw fromAws(error, `GetFunctionConfiguration (lambda:GetFunctionConfiguration) of ${functionName}`);
  }
}
