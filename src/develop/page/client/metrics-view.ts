import type { MetricsView } from '../protocol/metrics.ts';
import { chart } from './chart.ts';
import { element, tableOf } from './element.ts';
import { ask } from './requests.ts';
import { milliseconds, number } from './texts.ts';
import type { View } from './view.ts';

/** How often the metrics are asked for, in milliseconds. CloudWatch has a value for each minute. */
const interval = 60_000;

/** What the functions of a deployed stack have counted in the last hours. Nothing is asked for while it is not seen. */
export function metricsView(): View {
  const age = chart('Age of a change when its copies were written, in milliseconds', ['p50', 'p99', 'max']);
  const copies = chart('Copies a minute', ['written', 'right already'], 0);
  const latest = element('p', { role: 'status' }, 'asking');
  const sums = element('div');
  const cost = element('p', { class: 'quiet' });
  let asked = 0;

  async function look(): Promise<void> {
    if (document.hidden || Date.now() - asked < interval) return;
    asked = Date.now();
    try {
      draw(await ask<MetricsView>('/api/metrics'));
    } catch (error) {
      latest.replaceChildren(
        element('span', { class: 'bad' }, error instanceof Error ? error.message : 'failed'),
      );
    }
  }

  function draw(view: MetricsView): void {
    const lines = (['p50', 'p99', 'Maximum'] as const).map((one) =>
      together(view, 'ChangeAge', one, Math.max),
    );
    age.draw(view.minutes, lines);
    copies.draw(view.minutes, [
      together(view, 'CopiesWritten', 'Sum', plus),
      together(view, 'CopiesUnchanged', 'Sum', plus),
    ]);
    const oldest = Math.max(...(lines[2] ?? []).map((value) => value ?? -1));
    latest.textContent =
      oldest < 0
        ? 'CloudWatch has no value of a written copy for the last three hours: values come some minutes late.'
        : `In the last three hours, every copy was written within ${milliseconds(oldest)} of its root’s change.`;
    sums.replaceChildren(sumsOf(view));
    cost.textContent = `CloudWatch has a value for each whole minute, some minutes late. Asking for them costs about $${view.dollarsAnHour.toFixed(2)} an hour while this view is open.`;
  }

  const timer = setInterval(() => void look(), 1_000);
  void look();
  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Metrics'),
      latest,
      age.figure,
      copies.figure,
      sums,
      cost,
    ),
    close() {
      clearInterval(timer);
      age.destroy();
      copies.destroy();
    },
  };
}

function plus(...values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** A metric of several functions as one line; null where none of them has a value. */
function together(
  { minutes, metrics }: MetricsView,
  name: string,
  statistic: string,
  join: (...values: number[]) => number,
): readonly (number | null)[] {
  const lines = metrics.filter((metric) => metric.name === name && metric.statistic === statistic);
  return minutes.map((_, at) => {
    const values = lines.flatMap(({ values: of }) => of[at] ?? []);
    return values.length === 0 ? null : join(...values);
  });
}

/** The sum of each counted metric by function; those that no function counts are left out. */
function sumsOf({ metrics }: MetricsView): HTMLElement {
  const counted = metrics.filter(
    ({ statistic, values }) => statistic === 'Sum' && values.some((one) => one !== null),
  );
  if (counted.length === 0) return element('p', { class: 'quiet' }, 'The functions counted nothing.');
  const services = [...new Set(counted.map(({ service }) => service))];
  const names = [...new Set(counted.map(({ name }) => name))];
  return tableOf(
    'Counted in the last three hours, by function',
    ['metric', ...services],
    names.map((name) => [
      name,
      ...services.map((service) => {
        const found = counted.find((one) => one.name === name && one.service === service);
        return found === undefined ? '–' : number(plus(...found.values.map((value) => value ?? 0)));
      }),
    ]),
  );
}
