import * as z from 'zod';

const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export type LogLevel = (typeof levels)[number];

const levelled = z.looseObject({
  level: z
    .string()
    .transform((level) => level.toUpperCase())
    .pipe(z.enum(levels)),
  timestamp: z.iso.datetime({ offset: true }),
});

/**
 * Whether a line of a function that logs in JSON reaches CloudWatch Logs if its `ApplicationLogLevel` is `least`. A line
 * with a missing or invalid level or timestamp counts as INFO.
 * Source: Lambda Developer Guide, "Log-level filtering".
 */
export function passesLogFilter(line: string, least: LogLevel): boolean {
  return levels.indexOf(levelOf(line)) >= levels.indexOf(least);
}

function levelOf(line: string): LogLevel {
  try {
    const parsed = levelled.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data.level : 'INFO';
  } catch {
    return 'INFO';
  }
}

/** A metric value in a line of the embedded metric format. */
export interface MetricValue {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
  readonly values: readonly number[];
}

const embedded = z.looseObject({
  _aws: z.object({
    CloudWatchMetrics: z.array(
      z.object({
        Namespace: z.string(),
        Dimensions: z.array(z.array(z.string())),
        Metrics: z.array(z.object({ Name: z.string() })),
      }),
    ),
  }),
});
const numbers = z.union([z.number().transform((value) => [value]), z.array(z.number())]);

/** The metrics in a line. Source: CloudWatch User Guide, "Embedded metric format specification". */
export function metricsIn(line: string): readonly MetricValue[] {
  if (!line.startsWith('{')) return [];
  const parsed = embedded.safeParse(JSON.parse(line));
  if (!parsed.success) return [];
  const { data } = parsed;
  return data._aws.CloudWatchMetrics.flatMap(({ Namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) =>
      Metrics.map(({ Name }) => ({
        namespace: Namespace,
        name: Name,
        dimensions: Object.fromEntries(names.map((name) => [name, data[name]])),
        values: numbers.parse(data[Name]),
      })),
    ),
  );
}
