import { html } from 'htm/preact';
import { useState } from 'preact/hooks';
import type { ItemView } from '../protocol/item.ts';
import type { Key } from '../protocol/project.ts';
import { counted, visible } from '../protocol/texts.ts';
import { link, useAnswer } from './ask.ts';
import { AttributeTable } from './attributes.ts';
import { Chips } from './changes.ts';
import { Explained } from './explained.ts';
import { Failed, KeyLink } from './parts.ts';
import { store } from './store.ts';
import { eventText, keyText } from './texts.ts';

export function Items({ of }: { readonly of: Key }) {
  const { keyNames } = store.project;
  const look = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    location.hash = link('item', { pk: String(form.get('pk')), sk: String(form.get('sk') ?? '') });
  };
  const recent = [...new Map(store.newest().map(({ key }) => [keyText(key), key])).values()];
  return html`<section>
    <h2>An item</h2>
    <form onSubmit=${look}>
      <label>${keyNames.pk} <input name="pk" required defaultValue=${of.pk} /></label>
      ${keyNames.sk !== '' && html`<label>${keyNames.sk} <input name="sk" required defaultValue=${of.sk} /></label>`}
      <button>Look up</button>
    </form>
    ${
      of.pk !== '' && (of.sk !== '' || keyNames.sk === '')
        ? html`<${Item} of=${of} />`
        : recent.length > 0 &&
          html`<h3>Changed last</h3>
          <ul>${recent.slice(0, 20).map((key) => html`<li><${KeyLink} of=${key} /></li>`)}</ul>`
    }
  </section>`;
}

function Item({ of }: { readonly of: Key }) {
  const [opened] = useState(Date.now);
  const [edits, setEdits] = useState(0);
  const follows = store
    .newest()
    .filter(({ at, key }) => at >= opened && key.pk === of.pk && key.sk === of.sk)
    .slice(0, 10);
  // It is looked up again once the worker has dealt with its changes.
  const done = follows
    .filter(({ rules }) => rules.every(({ state }) => state === 'done'))
    .map(({ id }) => id);
  const { answer, error } = useAnswer<ItemView>(
    `/api/item?${new URLSearchParams({ ...of })}`,
    `${edits} ${done}`,
  );
  if (answer === undefined) return html`<${Failed} error=${error} />`;
  const { item, explanation, archived } = answer;
  return html`
    <h3><code>${keyText(of)}</code></h3>
    <p>${whatItIs(answer)}</p>
    <${Failed} error=${error} />
    ${item !== undefined && html`<${AttributeTable} of=${of} item=${item} onEdited=${() => setEdits(edits + 1)} />`}
    ${follows.length > 0 && html`<h3>What followed</h3>`}
    <ul aria-live="polite">
      ${follows.map(
        (change) => html`<li key=${change.id}>
          <a href=${link('change', { id: String(change.id) })}>${eventText(change)}</a> <${Chips} change=${change} />
          ${change.arrived > 0 && `${counted(change.arrived, 'copy', 'copies')} arrived`}
        </li>`,
      )}
    </ul>
    <${Explained} explanation=${explanation} />
    <h3>Archived states</h3>
    ${archived.length === 0 ? html`<p class="quiet">None.</p>` : html`<p><code>denorm archive show</code> shows them.</p>`}
    <ul>
      ${archived.map(
        ({ id, kind, archivedAt, final }) => html`<li>
          ${new Date(archivedAt).toLocaleString('en-GB')}, ${kind}${final && ', its last state'}, id ${id}
        </li>`,
      )}
    </ul>
  `;
}

function whatItIs({ item, explanation: { subjects } }: ItemView): string {
  const { kinds = [], problem } = subjects[0] ?? {};
  if (item !== undefined) return visible(problem ?? (kinds.join(' and ') || 'Of no kind of any rule'));
  return kinds.length === 0
    ? 'No such item, and no kind has such a key.'
    : `No such item. The key is that of ${kinds.join(' or ')}.`;
}
