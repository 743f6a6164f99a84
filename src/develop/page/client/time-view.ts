import type { RuleOfChange, Second } from '../protocol/changes.ts';
import { chart } from './chart.ts';
import { element, redraw } from './element.ts';
import type { PageState } from './state.ts';
import { keyText, milliseconds, number } from './texts.ts';
import { link, type View } from './view.ts';

/** Seconds that the charts show. */
const shown = 300;

/** The lag and the units of the last minutes, and fan-outs while they run. */
export function timeView(state: PageState): View {
  const lag = chart('Lag, in milliseconds', ['p50', 'p99', 'max']);
  const units = chart('Units a second', ['read', 'write'], 0);
  const latest = element('p', { role: 'status' });
  const fanOuts = element('div');
  const timer = setInterval(draw, 1_000);

  function draw(): void {
    const now = Math.floor(Date.now() / 1000);
    const seconds = Array.from({ length: shown }, (_, at) => state.seconds.get(now - shown + 1 + at));
    const times = seconds.map((_, at) => now - shown + 1 + at);
    const line = (of: (second: Second) => number | null) =>
      seconds.map((second) => (second === undefined ? null : of(second)));
    lag.draw(times, [line(({ p50 }) => p50), line(({ p99 }) => p99), line(({ max }) => max)]);
    units.draw(times, [line(({ readUnits }) => readUnits), line(({ writeUnits }) => writeUnits)]);
    const max = Math.max(...seconds.map((second) => second?.max ?? -1));
    latest.textContent =
      max < 0
        ? 'No copy was written in the last five minutes.'
        : `In the last five minutes, every copy was written within ${milliseconds(max)}.`;
    redraw(fanOuts, ...fanOutsOf(state));
  }

  return {
    element: element(
      'section',
      {},
      element('h2', {}, 'Time'),
      element(
        'p',
        { class: 'quiet' },
        'Lag is the time from when the worker reads a change to when it has written a copy. The stream itself tells times in whole seconds only.',
      ),
      latest,
      lag.figure,
      units.figure,
      element('h3', {}, 'Fan-outs'),
      fanOuts,
    ),
    news: draw,
    close() {
      clearInterval(timer);
      lag.destroy();
      units.destroy();
    },
  };
}

/** A bar for each propagation that the queue goes on with, and those that have just ended. */
function fanOutsOf(state: PageState): readonly HTMLElement[] {
  const all = state
    .newest()
    .flatMap((change) =>
      change.rules
        .filter(({ counts, copies }) => counts.requeued > 0 || copies !== undefined)
        .map((rule) => ({ change, rule })),
    );
  if (all.length === 0)
    return [element('p', { class: 'quiet' }, 'No change had more copies than one delivery handles.')];
  return all.slice(0, 20).map(({ change, rule }) => {
    const done = visited(rule);
    const total = rule.copies === undefined ? undefined : Math.max(rule.copies, done);
    const label = `${rule.rule} ${keyText(change.key, state.project.keyNames)}`;
    const values = total === undefined ? {} : { max: String(total), value: String(done) };
    const of = total === undefined ? '' : ` of ${number(total)}`;
    const stage = rule.state === 'done' ? 'done' : 'running';
    return element(
      'p',
      { class: 'fan-out' },
      element('a', { href: link('change', { id: String(change.id) }) }, label),
      element('progress', { ...values, 'aria-label': label }),
      `${number(done)}${of} copies, ${stage}`,
    );
  });
}

function visited({ counts }: RuleOfChange): number {
  return counts.written + counts.unchanged + counts.removed + counts.orphans + counts.deadLettered;
}
