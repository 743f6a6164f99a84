import * as z from 'zod';
import { evaluator } from '../../../src/deploy/template/evaluator.ts';
import { stack } from '../../fixtures/application/stack.ts';

/** The namespace of the functions' own metrics in these tests: a stack called `stack`. */
export const namespace = 'denorm/stack';

const metric = z.object({
  Namespace: z.string(),
  MetricName: z.string(),
  Dimensions: z.array(z.object({ Name: z.string(), Value: z.unknown() })),
});
export interface AlarmMetric {
  readonly alarm: string;
  readonly namespace: string;
  readonly name: string;
  /** A value that names a resource is `{Ref}` or `{'Fn::GetAtt'}`. */
  readonly dimensions: Readonly<Record<string, unknown>>;
}

/** The metric that each alarm of the stack watches. */
export function alarmMetrics(): readonly AlarmMetric[] {
  const { resolve } = evaluator(stack.Conditions, new Map([['AWS::StackName', 'stack']]));
  return Object.entries(stack.Resources)
    .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
    .map(([id, { Properties }]) => {
      const { Namespace, MetricName, Dimensions } = metric.parse(resolve(Properties));
      return {
        alarm: id,
        namespace: Namespace,
        name: MetricName,
        dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
      };
    });
}

/** The alarms on the functions' own metrics. */
export function ownAlarmMetrics(): readonly AlarmMetric[] {
  return alarmMetrics().filter((one) => one.namespace === namespace);
}
