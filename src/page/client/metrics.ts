import { html } from 'htm/preact';
import { useEffect, useState } from 'preact/hooks';
import { number } from '../../model/basics/text.ts';
import type { MetricsView } from '../protocol/views.ts';
import { useAnswer } from './ask.ts';
import { Chart } from './chart.ts';
import { Failed, Table } from './parts.ts';
import { durationText } from './texts.ts';

/** How often the metrics are asked for. CloudWatch has a value for each minute. */
const intervalMs = 60_000;

/** Nothing is asked for while it is not seen. */
export function Metrics() {
  const [round, setRound] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setRound((before) => before + 1), intervalMs);
    return () => clearInterval(timer);
  }, []);
  const { answer, error } = useAnswer<MetricsView>('/api/metrics', round);
  return html`<section>
    <h2>Metrics</h2>
    <${Failed} error=${error} />
    ${answer !== undefined && html`<${Shown} view=${answer} />`}
    <p class="quiet">CloudWatch has a value for each whole minute, some minutes late. Asking for them costs about $0.02 an hour,
      and as much for each ten rules, while this view is open.</p>
  </section>`;
}

function Shown({ view }: { readonly view: MetricsView }) {
  const { times, age, copies, heartbeat, services, sums, rules } = view;
  const oldest = Math.max(-1, ...age.flatMap(({ values }) => values.map((value) => value ?? -1)));
  const within = `In the last three hours, every copy was written within ${durationText(oldest)} of its root’s change.`;
  const noCopy = 'CloudWatch has no value of a written copy for the last three hours: values come late.';
  const rows = sums.map(({ name, of }) => [name, ...of.map((sum) => (sum === null ? '–' : number(sum)))]);
  const waits = rules.map(({ rule, waiting, waitMs, received }) => [
    ...[rule, number(waiting), durationText(waitMs), number(received)],
  ]);
  return html`
    <p role="status">${oldest < 0 ? noCopy : within}</p>
    <p>${heartbeat}</p>
    <${Chart} title="Age of a change when its copies were written, in milliseconds" times=${times} lines=${age} />
    <${Chart} title="Copies a minute" times=${times} lines=${copies} />
    ${
      rules.length > 0
        ? html`<${Table} caption="Messages of the fan-out queue in the last 15 minutes, by rule" head=${['rule', 'waiting, about', 'longest wait', 'received']} rows=${waits} />`
        : html`<p>FanOut has received no message for 15 minutes: none waits, or it does not run.</p>`
    }
    <${Table} caption="Counted in the last three hours, by function" head=${['metric', ...services]} rows=${rows} />
  `;
}
