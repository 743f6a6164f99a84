import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { number } from '../../model/basics/text.ts';
import type { RuleView } from '../protocol/views.ts';
import { link } from './ask.ts';
import { Chart } from './chart.ts';
import { store } from './store.ts';
import { durationText } from './texts.ts';

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
  const last = lastMilliseconds === undefined ? '' : `, the last in ${durationText(lastMilliseconds)}`;
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
  const copied = store
    .newest()
    .filter(({ at, maxLag }) => at > now - shown && maxLag !== undefined)
    .reverse();
  const max = Math.max(-1, ...copied.map(({ maxLag }) => maxLag ?? -1));
  const button = (of: number, text: string) =>
    html`<button type="button" aria-pressed=${seconds === of} onClick=${() => setSeconds(of)}>${text}</button> `;
  const past = seconds === 300 ? 'the last five minutes' : 'the last 30 seconds';
  const within = `In ${past}, every copy was written within ${durationText(max)}.`;
  return html`
    <h3>Lag</h3>
    <p>${button(30, '30 s')}${button(300, '5 min')}</p>
    <p role="status">${max < 0 ? `No copy was written in ${past}.` : within}</p>
    <${Chart}
      dots
      title="From reading each change to the write of its last copy, in milliseconds"
      times=${[now - shown, ...copied.map(({ at }) => at), now]}
      lines=${[{ label: 'last copy', values: [null, ...copied.map(({ maxLag = null }) => maxLag), null] }]}
    />
  `;
}
