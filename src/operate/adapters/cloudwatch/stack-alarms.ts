import { paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { chunksOf } from '../../../model/basics/chunks-of.ts';
import { asked } from '../../../worker/adapters/aws-errors.ts';
import type { Connection } from '../connection.ts';

export interface StackAlarm {
  readonly name: string;
  /** Undefined if there is no such alarm any more. */
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA' | undefined;
}

/** Names in a request. Source: AWS, "DescribeAlarms". */
const most = 100;

/** The alarms that a stack has made. Needs `cloudformation:ListStackResources` and `cloudwatch:DescribeAlarms`. */
export async function stackAlarms(
  { cloudFormation, cloudWatch }: Connection,
  StackName: string,
): Promise<readonly StackAlarm[]> {
  const { paginateDescribeAlarms } = await import('@aws-sdk/client-cloudwatch');
  const names: string[] = [];
  await asked(`ListStackResources (cloudformation:ListStackResources) of ${StackName}`, async () => {
    for await (const page of paginateListStackResources({ client: cloudFormation }, { StackName }))
      for (const { ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
        if (ResourceType === 'AWS::CloudWatch::Alarm' && PhysicalResourceId !== undefined)
          names.push(PhysicalResourceId);
  });
  const states = new Map<string | undefined, StackAlarm['state']>();
  await asked('DescribeAlarms (cloudwatch:DescribeAlarms)', async () => {
    for (const AlarmNames of chunksOf(names, most))
      for await (const page of paginateDescribeAlarms({ client: cloudWatch }, { AlarmNames }))
        for (const { AlarmName, StateValue } of page.MetricAlarms ?? []) states.set(AlarmName, StateValue);
  });
  return names.map((name) => ({ name, state: states.get(name) }));
}
