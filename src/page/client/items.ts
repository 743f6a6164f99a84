import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import { visible } from '../../model/basics/text.ts';
import type { CopiesView, ItemView, Key, PartitionView } from '../protocol/views.ts';
import { link, useAnswer } from './ask.ts';
import { AttributeTable } from './attributes.ts';
import { Rows } from './changes.ts';
import { Failed, KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { kindText, shownKey } from './texts.ts';

/** Kinds and recent items; a partition, if a partition key is given; an item, if its whole key is. */
export function Items({ of }: { readonly of: Key }) {
  const { keyNames } = store.project;
  const look = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    location.hash = link('items', { pk: String(form.get('pk')), sk: String(form.get('sk') ?? '') });
  };
  const isItem = of.pk !== '' && (of.sk !== '' || keyNames.sk === '');
  return html`<section>
    <h2>Items</h2>
    <form onSubmit=${look}>
      <label>${keyNames.pk} <input name="pk" required defaultValue=${of.pk} /></label>
      ${keyNames.sk !== '' && html`<label>${keyNames.sk} <input name="sk" placeholder="all" defaultValue=${of.sk} /></label>`}
      <button>Look up</button>
    </form>
    ${isItem ? html`<${Item} of=${of} />` : of.pk !== '' ? html`<${Partition} key=${of.pk} pk=${of.pk} />` : html`<${Kinds} />`}
  </section>`;
}

/** Each kind with its pattern, and those of its items that have changed last. */
function Kinds() {
  const isLive = store.can('GET /api/news');
  const recent = [...new Map(store.newest().map((change) => [shownKey(change.key), change])).values()];
  return store.project.kinds.map(({ name, keys }) => {
    const own = recent.filter(({ kinds }) => kinds.includes(name)).slice(0, 10);
    return html`<h3>${name} <code class="quiet">${keys}</code></h3>
      ${isLive && own.length === 0 && html`<p class="quiet">None has changed yet.</p>`}
      <ul>${own.map(({ key }) => html`<li key=${shownKey(key)}><${KeyLink} of=${key} /></li>`)}</ul>`;
  });
}

function Partition({ pk }: { readonly pk: string }) {
  const [from, setFrom] = useState('');
  const path = `/api/items?${new URLSearchParams({ pk, from })}`;
  const { answer, error } = useAnswer<PartitionView>(path, store.total);
  if (answer === undefined) return html`<${Failed} error=${error} />`;
  const { items, more } = answer;
  return html`
    <h3>Partition <code>${visible(pk)}</code></h3>
    ${items.length === 0 && html`<p class="quiet">It has no items.</p>`}
    <ul>${items.map(({ key, kinds }) => html`<li><${KeyLink} of=${key} /> ${kindText(kinds)}</li>`)}</ul>
    ${more && html`<button type="button" onClick=${() => setFrom(items.at(-1)?.key.sk ?? '')}>Go on from the last of these</button>`}
    ${from !== '' && html` <button type="button" onClick=${() => setFrom('')}>From the first</button>`}
  `;
}

function Item({ of }: { readonly of: Key }) {
  const [opened] = useState(Date.now);
  const [edits, setEdits] = useState(0);
  const follows = store
    .newest()
    .filter(({ at, key }) => at >= opened && key.pk === of.pk && key.sk === of.sk)
    .slice(0, 10);
  // It is looked up again once the worker has dealt with its changes.
  const done = follows.flatMap(({ id, rules }) => (rules.every(({ state }) => state === 'done') ? id : []));
  const path = `/api/item?${new URLSearchParams({ ...of })}`;
  const { answer, error } = useAnswer<ItemView>(path, `${edits} ${done}`);
  if (answer === undefined) return html`<${Failed} error=${error} />`;
  const { item, roles, now, copies } = answer;
  const links = (keys: readonly Key[]) => keys.map((key) => html`<${KeyLink} of=${key} /> `);
  const copiesBy = ({ rule, keys, more }: CopiesView) => html`<h3>Copies by ${rule}</h3>
    <p>${links(keys)} ${more && 'and more'}</p>`;
  const rows = roles.map(({ rule, as, of: whose, why }) => [rule, as, html`${links(whose)}`, visible(why)]);
  return html`
    <h3><code>${shownKey(of)}</code></h3>
    <p>${whatItIs(answer)}${' '}
      ${of.sk !== '' && html`<a href=${link('items', { pk: of.pk })}>All items of its partition</a>`}</p>
    <${Failed} error=${error} />
    ${item !== undefined && html`<${AttributeTable} of=${of} item=${item} onEdited=${() => setEdits(edits + 1)} />`}
    <div aria-live="polite">
      ${follows.length > 0 && html`<h3>What followed</h3>`}
      <${Rows} label="What followed" all=${follows} of=${undefined} />
    </div>
    ${copies.map(copiesBy)}
    <h3>What the worker would do now</h3>
    ${rows.length > 0 ? html`<${Table} caption="Its role in each rule" head=${['rule', 'the item is', 'of', 'why']} rows=${rows} />` : html`<p class="quiet">No rule is concerned.</p>`}
    ${now.map(({ text, isGood }) => html`<p class=${isGood ? '' : 'bad'}>${visible(text)}</p>`)}
  `;
}

function whatItIs({ item, kinds, problem }: ItemView): string {
  if (item !== undefined) return `${visible(problem ?? (kinds.join(' and ') || 'Of no kind of any rule'))}.`;
  return `No such item, and ${kinds.length === 0 ? 'no kind has such a key' : `the key is that of ${kinds.join(' or ')}`}.`;
}
