import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { counted, visible } from '../../model/basics/text.ts';
import type { ArchivedView, CopiesView, ItemEvent, ItemView, Key } from '../protocol/views.ts';
import { link, useAnswer, useAtMost } from './ask.ts';
import { AttributeTable, namesOf } from './attributes.ts';
import { Chips } from './changes.ts';
import { AttributeText, Failed, KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { moment, shownKey } from './texts.ts';

/** An item's life: what it is, who writes what of it, what follows it or what it follows, and what happened to it. */
export function Item({ of }: { readonly of: Key }) {
  const [edits, setEdits] = useState(0);
  const news = useAtMost(store.heard);
  const path = `/api/item?${new URLSearchParams({ ...of })}`;
  const { answer, error } = useAnswer<ItemView>(path, `${edits} ${news}`);
  if (answer === undefined) return html`<${Failed} error=${error} />`;
  const { item, owners, own, roles, now, copies, archived } = answer;
  const rows = roles.map(({ rule, as, of: whose, why }) => [rule, as, links(whose), visible(why)]);
  const head = ['rule', 'the item is', 'of', 'why'];
  return html`
    <h3><code>${shownKey(of)}</code></h3>
    <p>${whatItIs(answer)}${' '}
      ${of.sk !== '' && html`<a href=${link('items', { pk: of.pk })}>All items of its partition</a>`}</p>
    <${Failed} error=${error} />
    ${rows.length > 0 && html`<${Table} caption="Its role in each rule" head=${head} rows=${rows} />`}
    ${rows.length === 0 && item !== undefined && own === undefined && html`<p class="quiet">No rule is concerned.</p>`}
    ${now.map(({ text, isGood }) => html`<p class=${isGood ? '' : 'bad'}>${visible(text)}</p>`)}
    ${item !== undefined && html`<${AttributeTable} of=${of} item=${item} owners=${owners} onEdited=${() => setEdits(edits + 1)} />`}
    ${copies.map(copiesBy)}
    ${archived !== undefined && html`<${States} of=${archived} isGone=${item === undefined} />`}
    <${History} of=${answer} />
  `;
}

function links(keys: readonly Key[]) {
  return keys.length > 0 && html`${keys.map((key) => html`<${KeyLink} of=${key} /> `)}`;
}

function copiesBy({ rule, keys, missing, more }: CopiesView) {
  return html`<h3>Copies by ${rule}</h3>
    <p>${links(keys)} ${more && 'and more'}</p>
    ${missing.length > 0 && html`<p class="lit">Missing: ${missing.map((key) => html`<code>${shownKey(key)}</code> `)}</p>`}`;
}

function whatItIs({ item, kinds, problem, own, ends }: ItemView) {
  if (own !== undefined) {
    const member = own.member && html`what <${KeyLink} of=${own.member} /> counts`;
    return html`The worker’s own: ${member ?? 'a sum'} for ${links(own.target === undefined ? [] : [own.target])}in the ledger of ${own.rule}.`;
  }
  if (item !== undefined) return `${visible(problem ?? (kinds.join(' and ') || 'Of no kind of any rule'))}.`;
  if (ends.length > 0)
    return `${kinds.join(' or ')}, gone: ${ends.map(({ at, text }) => `${text} ${moment(at)}`).join(', ')}.`;
  return `No such item, and ${kinds.length === 0 ? 'no kind has such a key' : `the key is that of ${kinds.join(' or ')}`}.`;
}

function States({ of: { states, count }, isGone }: { readonly of: ArchivedView; readonly isGone: boolean }) {
  const one = (
    { at, final, expiresAt, item = {}, differs, problem }: ArchivedView['states'][number],
    index: number,
  ) => {
    const expiry = expiresAt === undefined ? '' : `, with the expiry ${moment(expiresAt)}`;
    const rows = namesOf(item).map((name) => [visible(name), html`<${AttributeText} of=${item[name]} />`]);
    return html`<details open=${isGone && index === 0}>
      <summary>archived ${moment(at)}${final && ', its last state'}${expiry}${differs && ` (${differs.map(visible).join(', ') || 'nothing'} changed since the state before)`}</summary>
      ${problem === undefined ? html`<${Table} caption="Archived attributes" head=${['attribute', 'value']} rows=${rows} />` : html`<p class="bad">${visible(problem)}</p>`}
    </details>`;
  };
  const more = count - states.length;
  return html`<h3>Archived states</h3>
    ${count === 0 && html`<p class="quiet">None yet.</p>`}
    ${states.map(one)}
    ${more > 0 && html`<p class="quiet">${counted(more, 'earlier state')}: <code>npx denorm archive list</code></p>`}`;
}

function History({ of: { history } }: { readonly of: ItemView }) {
  if (history === undefined) return undefined;
  const { since, events } = history;
  const rows = events.map((event) => [moment(event.at), visible(event.text), withOf(event)]);
  return html`<h3>History</h3>
    <p class="quiet">Since ${moment(since)}, when denorm dev began${rows.length === 0 && ', nothing has happened to it'}.</p>
    ${rows.length > 0 && html`<div aria-live="polite"><${Table} caption="Its life, oldest first" head=${['at', 'what', 'with']} rows=${rows} /></div>`}`;
}

/** What followed a change of the application; what the worker’s own write followed. */
function withOf({ reason, change: id, byWorker }: ItemEvent) {
  const change = id === undefined ? undefined : store.changes.get(id);
  if (reason !== undefined) return html`<span class="bad">${visible(reason)}</span>`;
  if (change === undefined) return '';
  const to = link('change', { id: String(id) });
  if (byWorker) return html`because of <a href=${to}>${shownKey(change.key)}</a>`;
  return html`<${Chips} change=${change} /> <a href=${to}>the change</a>`;
}
