import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { number, visible } from '../protocol/texts.ts';
import type { FailureView, Redriven, VerifyView } from '../protocol/trouble.ts';
import { ask, messageOf } from './ask.ts';
import { KeyLink, Table } from './parts.ts';
import { store } from './store.ts';

export function Trouble() {
  return html`<section>
    <h2>Trouble</h2>
    <h3>Dead letters and failed batches</h3>
    <${Failures} />
    ${store.can('POST /api/verify') && html`<h3>Drift</h3><${Drift} />`}
  </section>`;
}

function Failures() {
  const outcome = useRef<HTMLElement>(null);
  const [{ text, mark }, setOutcome] = useState({ text: '', mark: '' });
  const fail = (error: unknown) => setOutcome({ text: messageOf(error), mark: 'bad' });
  const read = () => void store.readFailures().catch(fail);
  useEffect(read, []);
  const canRedrive = store.can('POST /api/failures');
  const { failures = [], more = false } = store.failures ?? {};

  async function redrive(ids: readonly string[]): Promise<void> {
    const { redriven } = await ask<Redriven>('/api/failures', { ids });
    setOutcome({ text: `${number(redriven)} sent to the fan-out queue again.`, mark: '' });
    await store.readFailures();
    // The button is gone, and the focus with it.
    setTimeout(() => document.activeElement === document.body && outcome.current?.focus(), 100);
  }

  const button = (name: string, ids: readonly string[]) =>
    html`<button type="button" onClick=${() => void redrive(ids).catch(fail)}>${name}</button>`;
  const ids = failures.filter(({ redrivable }) => redrivable).map(({ id }) => id);
  const rows = failures.map((one) => [
    ...[new Date(one.newest).toLocaleString('en-GB'), one.rule ?? '–', about(one), number(one.count)],
    visible(`${one.code}: ${one.reason}`),
    ...(canRedrive ? [one.redrivable ? button('Redrive', [one.id]) : 'not here'] : []),
  ]);
  const head = ['newest', 'rule', 'about', 'times', 'reason', ...(canRedrive ? ['redrive'] : [])];
  return html`
    <p role="status" tabindex="-1" ref=${outcome} class=${mark}>${text}</p>
    ${rows.length > 0 && html`<${Table} caption="One row for each root or batch, the newest first" head=${head} rows=${rows} />`}
    ${store.failures !== undefined && rows.length === 0 && html`<p class="quiet">None.</p>`}
    ${more && html`<p class="quiet">There are more, which are not listed.</p>`}
    <p>
      ${canRedrive && ids.length > 1 && button(`Redrive all ${number(ids.length)}`, ids)}${' '}
      <button type="button" onClick=${read}>Read them again</button>
      ${!canRedrive && html` <code>npx denorm dlq redrive</code> sends them again.`}
    </p>
  `;
}

function about({ root, record }: FailureView) {
  return root === undefined ? html`<code>${visible(record ?? '–')}</code>` : html`<${KeyLink} of=${root} />`;
}

function Drift() {
  const [answer, setAnswer] = useState<
    Partial<VerifyView> & { readonly says?: string; readonly mark?: string }
  >({});
  const verify = () => {
    setAnswer({ says: 'Reading the table' });
    ask<VerifyView>('/api/verify', {}).then(
      (view) => setAnswer({ ...view, says: summaryOf(view), mark: view.found === 0 ? '' : 'bad' }),
      (error: unknown) => setAnswer({ says: messageOf(error), mark: 'bad' }),
    );
  };
  const { says, mark, drift = [] } = answer;
  const rows = drift.map(({ kind, rule, copy, root, what }) => {
    return [
      kind,
      rule,
      html`<${KeyLink} of=${copy} />`,
      root && html`<${KeyLink} of=${root} />`,
      visible(what),
    ];
  });
  return html`
    <p><button type="button" onClick=${verify}>Compare all copies with their roots</button> It writes nothing.</p>
    <p role="status" class=${mark}>${says}</p>
    ${rows.length > 0 && html`<${Table} caption="Drift" head=${['kind', 'rule', 'copy', 'root', 'what']} rows=${rows} />`}
  `;
}

function summaryOf({ items, copies, found }: VerifyView): string {
  const drift = found === 0 ? 'no drift' : `${number(found)} drifted`;
  return `${number(items)} items read, ${number(copies)} copies and totals compared: ${drift}.`;
}
