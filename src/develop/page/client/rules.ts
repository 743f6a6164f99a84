import { html } from 'htm/preact';
import type { RuleView } from '../protocol/project.ts';
import { number } from '../protocol/texts.ts';
import { link } from './ask.ts';
import { Chart } from './chart.ts';
import { store } from './store.ts';
import { milliseconds } from './texts.ts';

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
    ${store.can('GET /api/events') && html`<${Lag} />`}
  </section>`;
}

function Kind({ name }: { readonly name: string }) {
  return html`<div class="kind">
    <strong>${name}</strong> <code>${store.project.kinds.find((kind) => kind.name === name)?.keys}</code>
  </div>`;
}

function Arrow({ rule: { name, from, to = 'archive in S3', words } }: { readonly rule: RuleView }) {
  const { matched, written, deadLettered, lastMilliseconds } = store.rules[name] ?? {};
  const counts =
    matched === undefined ? 'nothing yet' : `${number(matched)} matched, ${number(written ?? 0)} written`;
  return html`<li class="arrow" data-rule=${name}>
    <div>
      ${
        store.can('GET /api/events')
          ? html`<a href=${link('changes')} onClick=${() => store.filter({ rule: name })}>${name}</a>
            <div class="quiet">${counts}${lastMilliseconds !== undefined && `, the last in ${milliseconds(lastMilliseconds)}`}</div>`
          : html`<strong>${name}</strong>`
      }
      ${(deadLettered ?? 0) > 0 && html`<div class="bad">${number(deadLettered ?? 0)} dead-lettered</div>`}
      <details>
        <summary>in words</summary>
        <dl>${words.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>
      </details>
    </div>
    <span aria-label="to">⟶</span>
    ${to === from[0] ? html`<div class="kind">itself</div>` : html`<${Kind} name=${to} />`}
  </li>`;
}

/** What the chart shows at most, in milliseconds. */
const shown = 300_000;

function Lag() {
  const now = Date.now();
  const copied = store
    .newest()
    .filter(({ at, maxLag }) => at > now - shown && maxLag !== undefined)
    .reverse();
  const max = Math.max(-1, ...copied.map(({ maxLag }) => maxLag ?? -1));
  return html`
    <h3>Lag</h3>
    <p role="status">${
      max < 0
        ? 'No copy was written in the last five minutes.'
        : `In the last five minutes, every copy was written within ${milliseconds(max)}.`
    }</p>
    <${Chart}
      dots
      title="From reading each change to the write of its last copy, in milliseconds"
      times=${[now - shown, ...copied.map(({ at }) => at), now]}
      lines=${[{ label: 'last copy', values: [null, ...copied.map(({ maxLag = null }) => maxLag), null] }]}
    />
  `;
}
