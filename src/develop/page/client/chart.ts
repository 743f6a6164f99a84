import UPlot from 'uplot';
import { element } from './element.ts';
import { time } from './texts.ts';

type Values = readonly (number | null)[];

/** A chart of lines over time. What it shows is told in words or in a table too: it is hidden from screen readers. */
export interface Chart {
  readonly figure: HTMLElement;
  /** @param times epoch seconds */
  draw(times: readonly number[], lines: readonly Values[]): void;
  destroy(): void;
}

/** Between two times on the axis, in seconds. */
const ticks = [60, 300, 900, 1_800, 3_600, 10_800];

const colours = ['--line-1', '--line-2', '--line-3'];

/** @param empty what is drawn where a value is missing. Default: a gap */
export function chart(title: string, labels: readonly string[], empty: number | null = null): Chart {
  const figure = element('figure', {}, element('figcaption', {}, title));
  const place = element('div', { class: 'chart', 'aria-hidden': 'true' });
  figure.append(place);
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  // Asked for at each drawing: the room may have become dark.
  const axis = {
    stroke: () => colour('--text'),
    grid: { stroke: () => colour('--border'), width: 1 },
  };
  const size = () => ({ width: Math.max(280, place.clientWidth || 280), height: 220 });
  let plot: UPlot | undefined;
  const resize = new ResizeObserver(() => plot?.setSize(size()));
  resize.observe(place);
  return {
    figure,
    draw(times, lines) {
      const filled: UPlot.AlignedData = [
        [...times],
        ...lines.map((values) => values.map((value) => value ?? empty)),
      ];
      if (plot !== undefined) return plot.setData(filled);
      plot = new UPlot(
        {
          ...size(),
          // A variable of the style, because the room may become dark.
          legend: { markers: { stroke: (_, at) => `var(${colours[at - 1]})` } },
          series: [
            { label: 'Time', value: (_, at) => (at === null ? '--' : time(at * 1_000)) },
            ...labels.map((label, at) => ({
              label,
              stroke: () => colour(colours[at % colours.length] ?? '--text'),
              width: 2,
              spanGaps: false,
              points: { show: empty === null, size: 5 },
            })),
          ],
          axes: [
            { ...axis, incrs: ticks, values: (_, at) => at.map((one) => time(one * 1_000).slice(0, 5)) },
            { ...axis, size: 60 },
          ],
          scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
        },
        filled,
        place,
      );
    },
    destroy() {
      resize.disconnect();
      plot?.destroy();
    },
  };
}
