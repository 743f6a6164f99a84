import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { counted, number, visible } from '../../model/basics/text.ts';
import type { ActionOutcome, FailureView, VerifyView } from '../protocol/views.ts';
import { ask, errorText } from './ask.ts';
import { KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { moment } from './texts.ts';

export function Trouble() {
  return html`<section>
    <h2>Trouble</h2>
    <h3>Dead letters and failed batches</h3>
    <${Failures} />
    ${store.can('POST /api/verify') && html`<h3>Drift</h3><${Drift} />`}
  </section>`;
}

function Failures() {
  const status = useRef<HTMLElement>(null);
  const [{ text, isGood }, setOutcome] = useState<ActionOutcome>({ text: '', isGood: true });
  const [dropping, setDropping] = useState('');
  const fail = (error: unknown) => setOutcome({ text: errorText(error), isGood: false });
  const read = () => void store.readFailures().catch(fail);
  useEffect(read, []);

  async function change(path: string, ids: readonly string[]): Promise<void> {
    setDropping('');
    setOutcome({ text: 'Sent.', isGood: true });
    await ask<ActionOutcome>(path, { ids, newest: failures.find(({ id }) => ids.includes(id))?.newest })
      .then(setOutcome)
      .catch(fail);
    await store.readFailures().catch(fail);
    // The button is gone, and the focus with it.
    setTimeout(() => document.activeElement === document.body && status.current?.focus(), 100);
  }
  const button = (name: string, does: () => void) =>
    html`<button type="button" onKeyDown=${once} onClick=${(click: MouseEvent) => click.detail < 2 && does()}>${name}</button> `;
  const redrive = (name: string, ids: readonly string[]) => button(name, () => change('/api/redrive', ids));
  const drop = (id: string) =>
    dropping === id
      ? button('Really drop', () => change('/api/drop', [id]))
      : button('Drop', () => setDropping(id));
  const { failures = [], more = false } = store.failures ?? {};
  const [canRedrive, canDrop] = [store.can('POST /api/redrive'), store.can('POST /api/drop')];
  const ids = failures.filter(({ redrivable }) => redrivable).map(({ id }) => id);
  const rows = failures.map((one) => [
    ...[moment(one.newest), one.rule ?? '–', about(one), number(one.count)],
    ...[visible(`${one.code}: ${one.reason}`), one.now ?? '–'],
    html`${canRedrive && one.redrivable && redrive('Redrive', [one.id])}${canDrop && drop(one.id)}`,
  ]);
  const head = ['newest', 'rule', 'about', 'times', 'reason', 'now it', ''];
  return html`
    <p role="status" tabindex="-1" ref=${status} class=${isGood ? 'good' : 'bad'}>${text}</p>
    ${rows.length > 0 && html`<${Table} caption="One row for each root or batch, the newest first" head=${head} rows=${rows} keys=${failures.map(({ id }) => id)} />`}
    ${store.failures !== undefined && rows.length === 0 && html`<p class="quiet">None.</p>`}
    ${more && html`<p class="quiet">There are more, which are not listed.</p>`}
    <p>
      ${canRedrive && ids.length > 1 && redrive(`Redrive all ${number(ids.length)}`, ids)}
      ${button('Read them again', read)}
      ${!canRedrive && html`<code>npx denorm dlq redrive</code> sends them again.`}
    </p>
  `;
}

/** A key that is held presses a button once: the next press may mean another button in its place. */
function once(event: KeyboardEvent): void {
  if (event.repeat) event.preventDefault();
}

function about({ root, record, copies }: FailureView) {
  return root === undefined
    ? html`<code>${visible(record ?? '–')}</code>`
    : html`<${KeyLink} of=${root} />${copies.map((key) => html`<div>copy <${KeyLink} of=${key} /></div>`)}`;
}

function Drift() {
  const [{ text, isGood, drift }, show] = useState({ text: '', isGood: true, drift: noDrift });
  const verify = () => {
    show({ text: 'Reading the table', isGood: true, drift: noDrift });
    ask<VerifyView>('/api/verify', {}).then(
      (view) => show({ text: summaryOf(view), isGood: isGreen(view), drift: view.drift }),
      (error: unknown) => show({ text: errorText(error), isGood: false, drift: noDrift }),
    );
  };
  const rows = drift.map(({ kind, rule, copy, root, what }) => [
    ...[kind, rule, html`<${KeyLink} of=${copy} />`, root && html`<${KeyLink} of=${root} />`, visible(what)],
  ]);
  return html`
    <p><button type="button" onClick=${verify}>Compare all copies with their roots</button> It writes nothing.</p>
    <p role="status" class=${isGood ? 'good' : 'bad'}>${text}</p>
    ${rows.length > 0 && html`<${Table} caption="Drift" head=${['kind', 'rule', 'copy', 'root', 'what']} rows=${rows} />`}
  `;
}

const noDrift: VerifyView['drift'] = [];

/** What looked at nothing is not green. */
function isGreen({ items, unmatched, found }: VerifyView): boolean {
  return items > 0 && unmatched.length === 0 && found === 0;
}

function summaryOf({ items, copies, unmatched, found }: VerifyView): string {
  const drift = found === 0 ? 'no drift' : counted(found, 'finding');
  const none = unmatched.length === 0 ? '' : ` No item is of ${unmatched.join(', ')}.`;
  return `${number(items)} items read, ${number(copies)} copies and totals compared: ${drift}.${none}`;
}
