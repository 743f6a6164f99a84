import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import type { MetricsView } from '../protocol/metrics.ts';
import { number } from '../protocol/texts.ts';
import { useAnswer } from './ask.ts';
import { Chart, type Line } from './chart.ts';
import { Failed, Table } from './parts.ts';
import { milliseconds } from './texts.ts';

/** How often the metrics are asked for, in milliseconds. CloudWatch has a value for each minute. */
const interval = 60_000;

/** Nothing is asked for while it is not seen. */
export function Metrics() {
  const [asked, ask] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || ask((before) => before + 1), interval);
    return () => clearInterval(timer);
  }, []);
  const { answer, error } = useAnswer<MetricsView>('/api/metrics', asked);
  return html`<section>
    <h2>Metrics</h2>
    <${Failed} error=${error} />
    ${answer !== undefined && html`<${Shown} view=${answer} />`}
    <p class="quiet">CloudWatch has a value for each whole minute, some minutes late. Asking for them costs about $0.02 an hour
      while this view is open.</p>
  </section>`;
}

function Shown({ view }: { readonly view: MetricsView }) {
  const times = view.minutes.map((minute) => minute * 1_000);
  const age = ['p50', 'p99', 'Maximum'].map((one) => joined(view, 'ChangeAge', one, Math.max));
  const copies = ['CopiesWritten', 'CopiesUnchanged'].map((one) => joined(view, one, 'Sum', plus));
  const oldest = Math.max(-1, ...(age[2]?.values ?? []).map((value) => value ?? -1));
  return html`
    <p role="status">${
      oldest < 0
        ? 'CloudWatch has no value of a written copy for the last three hours: values come some minutes late.'
        : `In the last three hours, every copy was written within ${milliseconds(oldest)} of its root’s change.`
    }</p>
    <${Chart} title="Age of a change when its copies were written, in milliseconds" times=${times} lines=${age} />
    <${Chart} title="Copies a minute" times=${times} lines=${copies} />
    <${Sums} view=${view} />
  `;
}

function joined(
  { minutes, metrics }: MetricsView,
  name: string,
  statistic: string,
  join: (...values: number[]) => number,
): Line {
  const lines = metrics.filter((metric) => metric.name === name && metric.statistic === statistic);
  const values = minutes.map((_, at) => {
    const all = lines.flatMap(({ values: of }) => of[at] ?? []);
    return all.length === 0 ? null : join(...all);
  });
  return { label: statistic === 'Sum' ? name : statistic, values };
}

function plus(...values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

/** The sum of each counted metric by function; those that no function counts are left out. */
function Sums({ view: { metrics } }: { readonly view: MetricsView }) {
  const sums = metrics.filter(
    ({ statistic, values }) => statistic === 'Sum' && values.some((one) => one !== null),
  );
  if (sums.length === 0) return html`<p class="quiet">The functions counted nothing.</p>`;
  const services = [...new Set(sums.map(({ service }) => service))];
  const rows = [...Map.groupBy(sums, ({ name }) => name)].map(([name, of]) => {
    const byService = new Map(of.map(({ service, values }) => [service, number(plus(...values))]));
    return [name, ...services.map((service) => byService.get(service) ?? '–')];
  });
  return html`<${Table} caption="Counted in the last three hours, by function" head=${['metric', ...services]} rows=${rows} />`;
}
