import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { counted, number, visible } from '../../model/basics/text.ts';
import type { ItemRow, ItemsView } from '../protocol/views.ts';
import { link, useAnswer, useAtMost } from './ask.ts';
import { Item } from './item.ts';
import { AttributeText, Failed, KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { cut, kindText, moment, shownKey } from './texts.ts';

/** An item, if its whole key is given; the items of a query, if a partition key is; otherwise the newest ones. */
export function Items({ query }: { readonly query: URLSearchParams }) {
  const given = Object.fromEntries(query);
  const { pk = '', sk = '', index = '' } = given;
  const isItem =
    pk !== '' && index === '' && !query.has('query') && (sk !== '' || store.project.keyNames.sk === '');
  return html`<section>
    <h2>Items</h2>
    <${LookUp} given=${given} />
    ${isItem ? html`<${Item} of=${{ pk, sk }} />` : html`<${Grid} given=${given} />`}
  </section>`;
}

interface GridProps {
  /** What the address says. */
  readonly given: Readonly<Record<string, string>>;
}

/** Opens what is filled in, without what is empty. */
function open(event: SubmitEvent & { currentTarget: HTMLFormElement }): void {
  event.preventDefault();
  const fields = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
  location.hash = link('items', Object.fromEntries(fields.filter(([, value]) => value !== '')));
}

/** An item by its key, or the items of a partition of the table or of an index. */
function LookUp({ given }: GridProps) {
  const { keyNames, indexes } = store.project;
  const [chosen, choose] = useState(given['index'] ?? '');
  const own = [keyNames.pk, keyNames.sk].filter((name) => name !== '');
  const [pk, sk] = indexes.find(({ name }) => name === chosen)?.keys ?? own;
  const change = (event: { currentTarget: { value: string } }) => choose(event.currentTarget.value);
  const where = html`<label>In <select name="index" value=${chosen} onChange=${change}>
    <option value="">the table</option>
    ${indexes.map(({ name }) => html`<option value=${name}>${name}</option>`)}
  </select></label>`;
  return html`<form onSubmit=${open}>
    ${indexes.length > 0 && where}
    <label>${pk} <input name="pk" required defaultValue=${given['pk']} /></label>
    ${sk !== undefined && html`<label>${sk} <input name="sk" placeholder=${chosen === '' ? 'all' : 'begins with'} defaultValue=${given['sk']} /></label>`}
    <button>Look up</button>
  </form>`;
}

function Filter({ given }: GridProps) {
  const { kind = '', begins, attribute } = given;
  const { kinds } = store.project;
  const tab = (name: string) =>
    html`<a href=${link('items', name === '' ? {} : { kind: name })} aria-current=${name === kind ? 'page' : undefined}>${name || 'All'}</a>`;
  return html`
    <nav aria-label="Kinds">${['', ...kinds.map(({ name }) => name)].map(tab)}</nav>
    <form onSubmit=${open}>
      <input type="hidden" name="kind" value=${kind} />
      <label>Key begins with <input name="begins" defaultValue=${begins} placeholder=${kinds.find(({ name }) => name === kind)?.keys} size="40" /></label>
      <label>Attribute <input name="attribute" defaultValue=${attribute} placeholder="name, or name=part of it" size="24" /></label>
      <button>Filter</button>
    </form>`;
}

/** The server has the pages. What changes comes first: another page than the first one stays as it was. */
function Grid({ given }: GridProps) {
  const { pk, index, from } = given;
  const isAsked = pk !== undefined || store.can('GET /api/list');
  const news = useAtMost(store.heard, 1_000);
  const path = `/api/${pk === undefined ? 'list' : 'items'}?${new URLSearchParams(given)}`;
  const { answer, error } = useAnswer<ItemsView>(isAsked ? path : undefined, from === undefined && news);
  const kinds = store.project.kinds.map(
    ({ name, keys }) => html`<li>${name} <code class="quiet">${keys}</code></li>`,
  );
  return html`
    ${pk !== undefined && html`<h3>Partition ${index && `of ${index} `}<code>${visible(pk)}</code></h3>`}
    ${pk === undefined && isAsked && html`<${Filter} given=${given} />`}
    ${!isAsked && html`<ul>${kinds}</ul>`}
    <${Failed} error=${error} />
    ${answer !== undefined && html`<${Page} view=${answer} given=${given} />`}
  `;
}

function Page({ view, given: { from, ...given } }: GridProps & { readonly view: ItemsView }) {
  const { columns, rows, hidden, next, read, gone } = view;
  const cells = rows.map((row) => [
    html`<${KeyLink} of=${row.key} /> ${given['kind'] === undefined && html`<span class="quiet">${kindText(row.kinds)}</span>`}`,
    ...row.values.map((value) => value !== null && html`<${AttributeText} of=${value} />`),
    linksOf(row),
    row.changedAt && moment(row.changedAt),
  ]);
  const order = given['pk'] === undefined ? ', what changed in this run first' : '';
  const more = hidden.length > 0 ? `; without a column: ${cut(visible(hidden.join(', ')), 200)}` : '';
  const found = `${counted(rows.length, 'item')} of ${number(read)} read${order}${more}`;
  return html`
    <p role="status" class="quiet">${rows.length === 0 && next === undefined ? 'No such item in the table' : found}.</p>
    ${rows.length > 0 && html`<${Table} caption="Items" head=${['key', ...columns, 'root, copies', 'changed']} rows=${cells} keys=${rows.map(({ key }) => shownKey(key))} />`}
    ${gone && (gone.keys.length > 0 || gone.more) && html`<p>Gone from the table, but in the archive: ${gone.keys.map((key) => html`<${KeyLink} of=${key} /> `)} ${gone.more && html`and perhaps others: <code>npx denorm archive list</code>`}</p>`}
    <p>${from !== undefined && html`<a href=${link('items', given)}>First page</a> `}
      ${next !== undefined && html`<a href=${link('items', { ...given, from: next })}>Next page</a>`}</p>
  `;
}

function linksOf({ follows, followedBy, queries }: ItemRow) {
  if ([...follows, ...followedBy, ...queries].length === 0) return undefined;
  return html`${follows.map((key) => html`<div>↑ <${KeyLink} of=${key} /></div>`)}
    ${followedBy.map((key) => html`<div>↓ <${KeyLink} of=${key} /></div>`)}
    ${queries.map(({ kind, parameters }) => html`<div>↓ <a href=${link('items', parameters)}>${kind}</a></div>`)}`;
}
