import { html } from 'htm/preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { counted, number } from '../../model/basics/text.ts';
import type { RuleView } from '../protocol/views.ts';
import { link } from './ask.ts';
import { store } from './store.ts';
import { durationText } from './texts.ts';

const archive = 'archive in S3';

/** Kinds as nodes, and rules as edges between them. Without room for columns, the same is a list. */
export function Rules() {
  const { kinds, rules } = store.project;
  const graph = useRef<HTMLElement>(null);
  const [lines, setLines] = useState<readonly (readonly [name: string, line: string])[]>([]);
  useLayoutEffect(() => {
    const found = graph.current === null ? [] : linesIn(graph.current);
    if (String(found) !== String(lines)) setLines(found);
  });
  const layerOf = (kind: string) => kinds.find(({ name }) => name === kind)?.layer ?? 0;
  const after = ({ from }: RuleView) => Math.max(...from.map(layerOf));
  const columns = Array.from(
    { length: Math.max(...rules.map(after), ...kinds.map(({ layer = 0 }) => layer)) + 1 },
    (_, at) => at,
  );
  const isLive = store.can('GET /api/news');
  const countOf = ({ matched = 0, written = 0 } = {}) => matched + written;
  const first = useRef(store.rules).current;
  const line = ([name, d]: (typeof lines)[number]) => {
    const count = countOf(store.rules[name]);
    return html`<path key=${`${name} ${count}`} class=${count > countOf(first[name]) ? 'pulse' : ''} d=${d} />`;
  };
  return html`<section>
    <h2>Rules</h2>
    <div class="graph" ref=${graph} onToggleCapture=${() => store.draw()}>
      <svg aria-hidden="true">${lines.map(line)}</svg>
      ${columns.map(
        (column) => html`
          <ul aria-label="Kinds">${kinds.filter(({ layer }) => layer === column).map(({ name, keys }) => html`<${Kind} name=${name} keys=${keys} />`)}</ul>
          <ul aria-label="Rules">${rules.filter((rule) => after(rule) === column).map((rule) => html`<${Edge} rule=${rule} isLive=${isLive} />`)}</ul>`,
      )}
      ${rules.some(({ to }) => to === undefined) && html`<ul><${Kind} name=${archive} /></ul>`}
    </div>
  </section>`;
}

/** Leads to its items. */
function Kind({ name, keys }: { readonly name: string; readonly keys?: string }) {
  return html`<li class="kind" data-kind=${name}>
    ${keys === undefined ? html`<strong>${name}</strong>` : html`<a href=${link('items', { kind: name })}>${name}</a> <code>${keys}</code>`}
  </li>`;
}

/** Leads to its changes. It is lit while one of them travels. */
function Edge({ rule, isLive }: { readonly rule: RuleView; readonly isLive: boolean }) {
  const { name, from, to = archive, words } = rule;
  const { matched = 0, written = 0, deadLettered = 0 } = store.rules[name] ?? {};
  const { writtenLately = 0, slowestMs } = store.rules[name] ?? {};
  const isOn = [...store.changes.values()].some(({ rules }) =>
    rules.some((one) => one.rule === name && one.state !== 'done'),
  );
  const counts =
    matched + written === 0 ? 'nothing yet' : `${number(matched)} matched, ${number(written)} written`;
  const slowest = slowestMs === undefined ? '' : `, slowest ${durationText(slowestMs)}`;
  return html`<li class=${isOn ? 'edge on' : 'edge'} data-rule=${name}>
    ${isLive ? html`<a href=${link('changes')} onClick=${() => store.filter({ rule: name })}>${name}</a>` : html`<strong>${name}</strong>`}
    <div class="way">${from.join(', ')} → ${to === from[0] ? 'itself' : to}</div>
    ${isLive && html`<div class="quiet">${counts}</div>`}
    ${writtenLately > 0 && html`<div class="quiet">${number(writtenLately)} a minute${slowest}</div>`}
    ${deadLettered > 0 && html`<a class="bad" href=${link('trouble')}>${counted(deadLettered, 'dead letter')}</a>`}
    <details>
      <summary>in words</summary>
      <dl>${words.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>
    </details>
  </li>`;
}

/** A line from each kind to its rule, and one from the rule to the kind of its copies. */
function linesIn(graph: HTMLElement): readonly (readonly [name: string, line: string])[] {
  const { left, top, height } = graph.getBoundingClientRect();
  let lane = height;
  const box = (attribute: string, name: string) =>
    graph.querySelector(`[${attribute}="${CSS.escape(name)}"]`)?.getBoundingClientRect() ?? new DOMRect();
  const curve = (a: DOMRect, b: DOMRect) => {
    const [x, toX] = [a.right - left, b.left - left];
    const [y = 0, toY = 0] = [a, b].map((one) => one.top + one.height / 2 - top);
    if (toX - x < 63) return `M${x} ${y}C${(x + toX) / 2} ${y} ${(x + toX) / 2} ${toY} ${toX} ${toY}`;
    // Past other columns, it goes below them: each gap has 42 pixels.
    lane += 6;
    return `M${x} ${y}C${x + 21} ${y} ${x + 21} ${lane} ${x + 42} ${lane}H${toX - 42}C${toX - 21} ${lane} ${toX - 21} ${toY} ${toX} ${toY}`;
  };
  return store.project.rules.map(({ name, from, to = archive }) => {
    const rule = box('data-rule', name);
    const into = from.map((kind) => curve(box('data-kind', kind), rule)).join('');
    return [name, to === from[0] ? into : into + curve(rule, box('data-kind', to))];
  });
}
