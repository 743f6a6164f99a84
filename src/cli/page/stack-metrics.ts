import type { MetricsView } from '../../develop/page/protocol/metrics.ts';
import { type AskedMetric, metricData } from '../../operate/adapters/cloudwatch/metric-data.ts';
import type { Connection } from '../../operate/adapters/connection.ts';
import type { StackOutputs } from '../../operate/adapters/stack-outputs.ts';
import { metricNames } from '../../worker/lambda/telemetry.ts';

const shown = 180;

/** How long an answer is given again, in milliseconds: metrics come once a minute, and each request costs money. */
const fresh = 55_000;

const { written, removed, unchanged, lost, corrected, orphans, requeued, deadLettered } = metricNames;
const ofPropagation = [written, removed, unchanged, lost, corrected, orphans, requeued, deadLettered];

/** The metrics of a stack's functions, as `POWERTOOLS_SERVICE_NAME` names them in the template. */
function metricsOf(
  namespace: string,
  { ArchiveFunction, SweepFunction }: Pick<StackOutputs, 'ArchiveFunction' | 'SweepFunction'>,
): readonly AskedMetric[] {
  const of = (service: string, names: readonly string[], statistic = 'Sum') =>
    names.map((name) => ({ namespace, service, name, statistic }));
  const { age, throttled, archived, swept, verified, drift, failed } = metricNames;
  return [
    ...['propagate', 'fan-out'].flatMap((service) => [
      ...['p50', 'p99', 'Maximum'].flatMap((statistic) => of(service, [age], statistic)),
      ...of(service, [...ofPropagation, throttled, failed]),
    ]),
    ...(ArchiveFunction === undefined ? [] : of('archive', [archived, failed])),
    ...(SweepFunction === undefined ? [] : of('sweep', [swept])),
    ...of('verify', [verified, drift]),
  ];
}

/** Reads the metrics of a stack's last three hours, at most about once a minute, however many pages ask. */
export function stackMetrics(
  connection: Pick<Connection, 'cloudWatch'>,
  namespace: string,
  stack: StackOutputs,
  now: () => number = Date.now,
): () => Promise<MetricsView> {
  const metrics = metricsOf(namespace, stack);
  let last: { readonly at: number; readonly view: Promise<MetricsView> } | undefined;

  async function read(): Promise<MetricsView> {
    // The minute that goes on is left out: its counts are not whole.
    const to = Math.floor(now() / 60_000) * 60;
    const from = to - shown * 60;
    const values = await metricData(connection.cloudWatch, metrics, { from, to, period: 60 });
    const minutes = Array.from({ length: shown }, (_, at) => from + at * 60);
    return {
      minutes,
      metrics: metrics.map(({ name, service, statistic }, at) => ({
        ...{ name, service, statistic },
        values: minutes.map((minute) => values[at]?.get(minute) ?? null),
      })),
    };
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
