import * as z from 'zod';

export const functions = ['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify'] as const;

/** The rows of a table: each property, who has it, and its value, without those that the page has elsewhere. */
export function rowsFor(
  owners: readonly (readonly [name: string, properties: unknown])[],
  elsewhere: RegExp,
): string[][] {
  const all = owners.flatMap(([name, properties]) =>
    settingsOf(properties).map(([path, value]) => ({ name, path, value })),
  );
  const shown = all.filter(({ path }) => !elsewhere.test(path));
  return [...Map.groupBy(shown, ({ path, value }) => `${path}: ${value}`).values()].map((alike) => {
    const [{ path, value } = { path: '', value: '' }] = alike;
    const names = alike.map(({ name }) => name);
    return [path, names.length === functions.length ? 'all' : names.join(', '), value];
  });
}

/** Each scalar below a value with its path. A rule of a bucket is named by the prefix that it is for. */
export function settingsOf(value: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  const isScalar = typeof value !== 'object' || value === null || isReference(value);
  if (isScalar) return [[path.join('.'), isReference(value) ? resourceText(value) : String(value)]];
  if (!Array.isArray(value))
    return Object.entries(value)
      .filter(([name]) => name !== 'Id' && name !== 'Prefix')
      .flatMap(([name, member]) => settingsOf(member, [...path, name]));
  if (value.every((one) => typeof one === 'string')) return [[path.join('.'), value.join(', ')]];
  return value.flatMap((member) => settingsOf(member, [...path, ...prefixOf(member)]));
}

const isReference = (value: unknown) =>
  z
    .union(['Ref', 'Fn::GetAtt', 'Fn::Sub'].map((name) => z.strictObject({ [name]: z.unknown() })))
    .safeParse(value).success;

const prefixOf = (rule: unknown) =>
  Object.values(z.object({ Prefix: z.string() }).safeParse(rule).data ?? {});

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
  [/\/stream\/\*/, '<table>/stream/*'],
  [/\/index\//, 'the indexes that rules query'],
  [/Table\.Arn/, 'the table'],
  [/FanOutQueue\.Arn.*DeadLetterQueue\.Arn/, 'both queues'],
  [/FanOutQueue\.Arn|:fan-out-/, 'the fan-out queue'],
  [/DeadLetterQueue\.Arn/, 'the dead-letter queue'],
  [/FailureBucket\.Arn\}\/aws\/lambda\/\*/, '<its failure bucket>/aws/lambda/*'],
  [/FailureBucket\.Arn/, '<its failure bucket>'],
  ...['archive', 'manifests', 'erased', 'state', 'restored'].map(
    (prefix) => [new RegExp(`ArchiveBucket\\.Arn\\}/${prefix}/\\*`), `<archive bucket>/${prefix}/*`] as const,
  ),
  [/ArchiveBucket\.Arn/, '<archive bucket>'],
  [/Log\.Arn/, "the function's log group"],
];

/** A resource that a template refers to, in words. */
export function resourceText(reference: unknown): string {
  const json = JSON.stringify(reference).replaceAll('","', '.');
  return resourceNames.find(([pattern]) => pattern.test(json))?.[1] ?? json;
}
