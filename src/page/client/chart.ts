import { html } from 'htm/preact';
import { number } from '../../model/basics/text.ts';
import type { ChartLine } from '../protocol/views.ts';
import { time } from './texts.ts';

interface ChartProps {
  readonly title: string;
  /** Epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
}

/** The classes of the lines, which give them their colours. */
const marks = ['good', 'lit', 'bad'];

const [top, bottom] = [8, 176];

/** Values over time, on a logarithmic axis. What it shows is said in words too: it is hidden from screen readers. */
export function Chart({ title, times, lines }: ChartProps) {
  const width = Math.min(document.documentElement.clientWidth, 1_400) - 40;
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const max = Math.max(10, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = [0, ...Array.from({ length: Math.ceil(Math.log10(max)) }, (_, at) => 10 ** (at + 1))];
  const left = 12 + 8 * number(ticks.at(-1) ?? 1).length;
  const x = (at: number) => left + ((at - first) / Math.max(1, last - first)) * (width - left - 8);
  const y = (value: number) =>
    bottom - (Math.log10(value + 1) / Math.log10((ticks.at(-1) ?? 1) + 1)) * (bottom - top);
  // A value without one before it is a dot.
  const step = (value: number | null, at: number, values: ChartLine['values']) => {
    if (value === null) return '';
    const place = `${x(times[at] ?? 0)} ${y(value)}`;
    return (values[at - 1] ?? null) === null ? `M${place}h0` : `L${place}`;
  };
  const tick = (value: number) =>
    html`<line stroke="gray" stroke-opacity="0.3" x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} />
      <text x=${left - 8} y=${y(value) + 4} text-anchor="end">${number(value)}</text>`;
  return html`<figure>
    <figcaption>${title}: ${lines.map(({ label }, at) => html`<span class=${marks[at]}>● ${label} </span>`)}</figcaption>
    <svg width=${width} height="200" aria-hidden="true">
      ${ticks.map(tick)}
      <text x=${left} y="196">${time(first)}</text>
      <text x=${width} y="196" text-anchor="end">${time(last)}</text>
      ${lines.map(({ values }, at) => html`<path class=${marks[at]} fill="none" stroke="currentcolor" stroke-linecap="round" stroke-width="3" d=${values.map(step).join('')} />`)}
    </svg>
  </figure>`;
}
