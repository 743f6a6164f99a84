import type { Stack } from '@aws-sdk/client-cloudformation';
import * as z from 'zod';
import { DenormError } from '../../model/basics/errors.ts';
import { awsCode, fromAws } from '../../worker/adapters/aws-errors.ts';
import type { Connection } from './connection.ts';

const outputsSchema = z.object({
  TableName: z.string(),
  StreamArn: z.string(),
  PropagateFunction: z.string(),
  FanOutFunction: z.string(),
  FanOutQueueUrl: z.string(),
  DeadLetterQueueUrl: z.string(),
  PropagateFailureBucketName: z.string(),
  /** Undefined for a stack whose rules archive nothing. */
  ArchiveFunction: z.string().optional(),
  ArchiveBucketName: z.string().optional(),
  ArchiveFailureBucketName: z.string().optional(),
  /** Undefined for a stack whose archived items do not age. */
  SweepFunction: z.string().optional(),
});

export type StackOutputs = Readonly<z.output<typeof outputsSchema>>;

/**
 * Needs `cloudformation:DescribeStacks`.
 * @throws DenormError `stack.unknown` if no stack has this name, `stack.foreign` if it is another project's
 */
export async function stackOutputs(connection: Connection, name: string): Promise<StackOutputs> {
  const { Outputs = [] } = await describe(connection, name);
  const outputs = outputsSchema.safeParse(
    Object.fromEntries(Outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue])),
  );
  if (outputs.success) return outputs.data;
  const missing = outputs.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new DenormError(
    'stack.foreign',
    `Expected ${name} to be a stack of this project's template.yaml, but it has no output ${missing}: name another, or deploy it anew`,
  );
}

/** The parameters of a deployed stack. Needs `cloudformation:DescribeStacks`. */
export async function stackParameters(
  connection: Connection,
  name: string,
): Promise<ReadonlyMap<string, string>> {
  const { Parameters = [] } = await describe(connection, name);
  return new Map(
    Parameters.map(({ ParameterKey = '', ParameterValue = '' }) => [ParameterKey, ParameterValue]),
  );
}

async function describe(connection: Connection, name: string): Promise<Partial<Stack>> {
  const { DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  try {
    const { Stacks = [] } = await connection.cloudFormation.send(
      new DescribeStacksCommand({ StackName: name }),
    );
    return Stacks[0] ?? {};
  } catch (error) {
    if (awsCode(error) === 'ValidationError')
      throw new DenormError(
        'stack.unknown',
        `Expected the name of a stack in this account and region, found none called ${name}: see \`aws cloudformation list-stacks\``,
        { cause: error },
      );
    throw fromAws(error, `DescribeStacks (cloudformation:DescribeStacks) of ${name}`);
  }
}
