import * as z from 'zod';

export const functions = ['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify'] as const;

/** Each scalar below a value with its path. */
export function settingsOf(value: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  const isScalar = typeof value !== 'object' || value === null || isReference(value);
  if (isScalar) return [[path.join('.'), isReference(value) ? resourceText(value) : String(value)]];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([name, member]) => settingsOf(member, [...path, name]));
  if (value.every((one) => typeof one === 'string')) return [[path.join('.'), value.join(', ')]];
  return value.flatMap((member) => settingsOf(member, path));
}

const isReference = (value: unknown) =>
  z
    .union(['Ref', 'Fn::GetAtt', 'Fn::Sub'].map((name) => z.strictObject({ [name]: z.unknown() })))
    .safeParse(value).success;

const alarmSchema = z.object({
  ...{ Namespace: z.unknown(), MetricName: z.string(), Statistic: z.string(), Period: z.number() },
  ...{
    Dimensions: z.tuple([z.object({ Name: z.string() })]),
    ComparisonOperator: z.literal('GreaterThanThreshold'),
  },
  ...{ Threshold: z.number(), EvaluationPeriods: z.number(), DatapointsToAlarm: z.number() },
  TreatMissingData: z.enum(['notBreaching', 'ignore']),
});

/** The columns of an alarm's row after its name. */
export function alarmText(alarm: unknown): string {
  const { Namespace, Dimensions, DatapointsToAlarm, EvaluationPeriods, ...one } = alarmSchema.parse(alarm);
  const periods = EvaluationPeriods === 1 ? '' : `${DatapointsToAlarm} of ${EvaluationPeriods} × `;
  const of = `${typeof Namespace === 'string' ? `${Namespace} ` : ''}${one.MetricName}`;
  const missing = one.TreatMissingData === 'ignore' ? ', missing data ignored' : '';
  return `${of} | ${Dimensions[0].Name} | ${one.Statistic} > ${one.Threshold} in ${periods}${one.Period} s${missing}`;
}

const resourceNames: readonly (readonly [RegExp, string])[] = [
  [/Table\.StreamArn/, 'the stream'],
  [/FailureBucket\.Arn/, '<its failure bucket>'],
];

/** A resource that a template refers to, in words. */
function resourceText(reference: unknown): string {
  const json = JSON.stringify(reference).replaceAll('","', '.');
  return resourceNames.find(([pattern]) => pattern.test(json))?.[1] ?? json;
}
