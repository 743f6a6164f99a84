import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { number } from '../protocol/texts.ts';
import type { RuleView } from '../protocol/views.ts';
import { link } from './ask.ts';
import { store } from './store.ts';
import { duration, time } from './texts.ts';

/** Kinds and rules as a graph in reading order: a root, an arrow for each of its rules, a copy. */
export function Rules() {
  const { rules } = store.project;
  const targets = new Set(rules.filter(({ from, to }) => to !== from[0]).map(({ to }) => to));
  const roots = [...Map.groupBy(rules, ({ from }) => from.join(' and '))];
  // What is written by no rule is where a change begins.
  roots.sort(([a], [b]) => Number(targets.has(a)) - Number(targets.has(b)));
  return html`<section>
    <h2>Rules</h2>
    <ul class="graph" aria-label="Kinds of items, and the rules between them">
      ${roots.map(
        ([name, own]) => html`<li>
          <${Kind} name=${name} />
          <ul>${own.map((rule) => html`<${Arrow} rule=${rule} />`)}</ul>
        </li>`,
      )}
    </ul>
    ${store.can('GET /api/news') && html`<${Lag} />`}
  </section>`;
}

/** Leads to its items. */
function Kind({ name }: { readonly name: string }) {
  const keys = store.project.kinds.find((kind) => kind.name === name)?.keys;
  return html`<div class="kind">
    ${keys === undefined ? html`<strong>${name}</strong>` : html`<a href=${link('items')}>${name}</a> <code>${keys}</code>`}
  </div>`;
}

/** Leads to its changes. It lights up when it has matched or written. */
function Arrow({ rule: { name, from, to = 'archive in S3', words } }: { readonly rule: RuleView }) {
  const { matched = 0, written = 0, deadLettered = 0, lastMilliseconds } = store.rules[name] ?? {};
  const now = `${matched} ${written}`;
  const first = useRef(now);
  const counts =
    matched + written === 0 ? 'nothing yet' : `${number(matched)} matched, ${number(written)} written`;
  const last = lastMilliseconds === undefined ? '' : `, the last in ${duration(lastMilliseconds)}`;
  const isLive = store.can('GET /api/news');
  return html`<li class="arrow" data-rule=${name}>
    <div>
      ${isLive ? html`<a href=${link('changes')} onClick=${() => store.filter({ rule: name })}>${name}</a>` : html`<strong>${name}</strong>`}
      ${isLive && html`<div key=${now} class=${now === first.current ? 'quiet' : 'quiet pulse'}>${counts}${last}</div>`}
      ${deadLettered > 0 && html`<a class="bad" href=${link('trouble')}>${number(deadLettered)} dead-lettered</a>`}
    </div>
    <details>
      <summary>in words</summary>
      <dl>${words.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>
    </details>
    ⟶
    ${to === from[0] ? html`<div class="kind">itself</div>` : html`<${Kind} name=${to} />`}
  </li>`;
}

function Lag() {
  const [seconds, setSeconds] = useState(300);
  const [now, shown] = [Date.now(), seconds * 1_000];
  const dots = store
    .newest()
    .flatMap(({ at, maxLag }) => (at > now - shown && maxLag !== undefined ? [{ at, lag: maxLag }] : []));
  const max = Math.max(-1, ...dots.map(({ lag }) => lag));
  const button = (of: number, text: string) =>
    html`<button type="button" aria-pressed=${seconds === of} onClick=${() => setSeconds(of)}>${text}</button> `;
  const past = seconds === 300 ? 'the last five minutes' : 'the last 30 seconds';
  const within = `In ${past}, every copy was written within ${duration(max)}.`;
  return html`
    <h3>Lag</h3>
    <p>${button(30, '30 s')}${button(300, '5 min')}</p>
    <p role="status">${max < 0 ? `No copy was written in ${past}.` : within}</p>
    <${Chart} from=${now - shown} to=${now} dots=${dots} />
  `;
}

const [top, bottom] = [8, 176];

interface ChartProps {
  readonly from: number;
  readonly to: number;
  readonly dots: readonly { readonly at: number; readonly lag: number }[];
}

/** On a logarithmic axis. What it shows is said in words too: it is hidden from screen readers. */
function Chart({ from, to, dots }: ChartProps) {
  const width = Math.min(document.documentElement.clientWidth, 1_400) - 40;
  const decades = Math.ceil(Math.log10(Math.max(10, ...dots.map(({ lag }) => lag))));
  const ticks = [0, ...Array.from({ length: decades }, (_, at) => 10 ** (at + 1))];
  const left = 12 + 8 * number(10 ** decades).length;
  const x = (at: number) => left + ((at - from) / (to - from)) * (width - left - 8);
  const y = (lag: number) => bottom - (Math.log10(lag + 1) / Math.log10(10 ** decades + 1)) * (bottom - top);
  const tick = (value: number) =>
    html`<line stroke="gray" stroke-opacity="0.3" x1=${left} x2=${width} y1=${y(value)} y2=${y(value)} />
      <text x=${left - 8} y=${y(value) + 4} text-anchor="end">${number(value)}</text>`;
  return html`<figure>
    <figcaption>From reading each change to the write of its last copy, in milliseconds</figcaption>
    <svg width=${width} height="200" aria-hidden="true">
      ${ticks.map(tick)}
      <text x=${left} y="196">${time(from)}</text>
      <text x=${width} y="196" text-anchor="end">${time(to)}</text>
      <path class="good" stroke="currentcolor" stroke-linecap="round" stroke-width="6" d=${dots.map(({ at, lag }) => `M${x(at)} ${y(lag)}h0`).join('')} />
    </svg>
  </figure>`;
}
