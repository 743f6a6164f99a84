import { type AskedMetric, metricData } from '../../operate/adapters/cloudwatch.ts';
import type { Connection } from '../../operate/adapters/connection.ts';
import type { StackOutputs } from '../../operate/adapters/stack-outputs.ts';
import { metricNames } from '../../worker/lambda/telemetry.ts';
import type { ChartLine, MetricsView } from '../protocol/views.ts';
import { heartbeatText } from './heartbeat-text.ts';

const shown = 180;

/** Minutes over which the waits of each rule are counted: what waits now. */
const recent = 15;

/** How long an answer is given again, in milliseconds: metrics come once a minute, and each request costs money. */
const fresh = 55_000;

const { written, removed, unchanged, lost, corrected, orphans, requeued, deadLettered } = metricNames;
const ofPropagation = [written, removed, unchanged, lost, corrected, orphans, requeued, deadLettered];

/** The metrics of a stack's functions, as `POWERTOOLS_SERVICE_NAME` names them in the template. */
function metricsOf(
  namespace: string,
  { ArchiveFunction, SweepFunction }: Pick<StackOutputs, 'ArchiveFunction' | 'SweepFunction'>,
  rules: readonly string[],
): readonly AskedMetric[] {
  const of = (service: string, names: readonly string[], statistic = 'Sum') =>
    names.map((name) => ({ namespace, service, name, statistic }));
  const { age, throttled, archived, swept, verified, drift, failed, wait } = metricNames;
  const { overdue, pauseAge, beatsLost } = metricNames;
  return [
    ...['propagate', 'fan-out'].flatMap((service) => [
      ...['p50', 'p99', 'Maximum'].flatMap((statistic) => of(service, [age], statistic)),
      ...of(service, [...ofPropagation, throttled, failed]),
    ]),
    ...(ArchiveFunction === undefined ? [] : of('archive', [archived, failed])),
    ...(SweepFunction === undefined ? [] : of('sweep', [swept])),
    ...of('verify', [verified, drift]),
    ...rules.flatMap((rule) =>
      ['Sum', 'Maximum', 'SampleCount'].flatMap((statistic) =>
        of('fan-out', [wait], statistic).map((metric) => ({ ...metric, rule })),
      ),
    ),
    ...of('heartbeat', [overdue, pauseAge], 'Maximum'),
    ...of('heartbeat', [beatsLost]),
  ];
}

/** Reads the metrics of a stack's last three hours, at most about once a minute, however many pages ask. */
export function stackMetrics(
  connection: Pick<Connection, 'cloudWatch'>,
  namespace: string,
  stack: StackOutputs,
  rules: readonly string[],
  now: () => number = Date.now,
): () => Promise<MetricsView> {
  const metrics = metricsOf(namespace, stack, rules);
  let last: { readonly at: number; readonly view: Promise<MetricsView> } | undefined;

  async function read(): Promise<MetricsView> {
    // The minute that goes on is left out: its counts are not whole.
    const to = Math.floor(now() / 60_000) * 60;
    const from = to - shown * 60;
    const values = await metricData(connection.cloudWatch, metrics, { from, to, periodSeconds: 60 });
    const minutes = Array.from({ length: shown }, (_, at) => from + at * 60);
    return viewOf(
      minutes,
      metrics.map((metric, at) => ({
        ...metric,
        values: minutes.map((minute) => values[at]?.get(minute) ?? null),
      })),
    );
  }

  return () => {
    if (last !== undefined && now() - last.at < fresh) return last.view;
    const view = read();
    last = { at: now(), view };
    view.catch(() => {
      last = undefined;
    });
    return view;
  };
}

type Counted = AskedMetric & Pick<ChartLine, 'values'>;

/** What each rule's messages waited, of the rules that had any. */
function waitsOf(metrics: readonly Counted[]): MetricsView['rules'] {
  const byRule = Map.groupBy(metrics, ({ rule }) => rule);
  return [...byRule].flatMap(([rule, of]) => {
    const values = (statistic: string) =>
      of.flatMap((one) => (one.statistic === statistic ? one.values.slice(-recent) : []));
    const received = sum(values('SampleCount'));
    if (rule === undefined || received === 0) return [];
    // Little's law: the waits that end in a time, by that time.
    const waiting = sum(values('Sum')) / (recent * 60_000);
    return [{ rule, waiting, waitMs: Math.max(...values('Maximum').map((value) => value ?? 0)), received }];
  });
}

function viewOf(minutes: readonly number[], metrics: readonly Counted[]): MetricsView {
  const joined = (
    name: string,
    statistic: string,
    join: (values: readonly number[]) => number,
  ): ChartLine => {
    const all = metrics.filter((metric) => metric.name === name && metric.statistic === statistic);
    const values = minutes.map((_, at) => {
      const some = all.flatMap(({ values: of }) => of[at] ?? []);
      return some.length === 0 ? null : join(some);
    });
    return { label: statistic === 'Sum' ? name : statistic, values };
  };
  const lastOf = (name: string) =>
    metrics.find((metric) => metric.name === name)?.values.findLast((value) => value !== null);
  const [overdue, oldestPause] = [metricNames.overdue, metricNames.pauseAge].map(lastOf);
  const lost = sum(metrics.find(({ name }) => name === metricNames.beatsLost)?.values ?? []);
  const sums = metrics.filter(
    ({ statistic, rule, values }) =>
      statistic === 'Sum' && rule === undefined && values.some((value) => value !== null),
  );
  const services = [...new Set(sums.map(({ service }) => service))];
  return {
    times: minutes.map((minute) => minute * 1_000),
    age: ['p50', 'p99', 'Maximum'].map((one) => joined(metricNames.age, one, (some) => Math.max(...some))),
    copies: [written, unchanged].map((name) => joined(name, 'Sum', sum)),
    heartbeat: heartbeatText(
      overdue == null || oldestPause == null ? undefined : { overdue, oldestPause, lost },
    ),
    services,
    sums: [...Map.groupBy(sums, ({ name }) => name)].map(([name, of]) => {
      const byService = new Map(of.map(({ service, values }) => [service, sum(values)]));
      return { name, of: services.map((service) => byService.get(service) ?? null) };
    }),
    rules: waitsOf(metrics),
  };
}

function sum(values: ChartLine['values']): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
