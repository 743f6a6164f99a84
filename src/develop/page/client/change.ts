import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import type { ChangeDetail, ChangeView } from '../protocol/changes.ts';
import { counted, number } from '../protocol/texts.ts';
import { link, useAnswer } from './ask.ts';
import { Comparison, Failed, KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { countsText, eventText, keyText, kindText, milliseconds, time } from './texts.ts';

export function OneChange({ id }: { readonly id: number }) {
  const now = store.changes.get(id);
  // What is forgotten, here or by the server, stays as it was shown last.
  const { answer, error } = useAnswer<ChangeDetail>(now && `/api/change?id=${id}`, now);
  const kept = useRef<ChangeDetail | undefined>(undefined);
  if (answer?.contentKept) kept.current = answer;
  if (answer === undefined)
    return now === undefined
      ? html`<h2>A change</h2><p>It is not one of the last 500 changes.</p>`
      : html`<${Failed} error=${error} />`;
  return html`<section>
    <p><a href=${link('changes')}>All changes</a></p>
    <${Facts} change=${answer.change} />
    <h3>Before and after</h3>
    ${kept.current === undefined ? html`<p>Its content is not kept any more.</p>` : html`<${Sides} detail=${kept.current} />`}
  </section>`;
}

function Facts({ change }: { readonly change: ChangeView }) {
  const { key, kinds, arrived, maxLag, writeUnits, cause, rules } = change;
  const within = maxLag === undefined ? '' : `, the last after ${milliseconds(maxLag)}`;
  return html`
    <h2>${kindText(kinds)} ${eventText(change)} at ${time(change.at)}</h2>
    <p><${KeyLink} of=${key} />
      ${cause !== undefined && html`, because of <a href=${link('change', { id: String(cause) })}>this change</a>`}</p>
    <${Table}
      caption="Rules"
      head=${['rule', 'why', 'did', 'took']}
      rows=${rules.map((one) => [one.rule, one.why, countsText(one), milliseconds(one.milliseconds)])}
    />
    <p>${counted(arrived, 'copy', 'copies')} arrived${within}. Their writes cost ${number(writeUnits)} write units.</p>
  `;
}

function Sides({ detail }: { readonly detail: ChangeDetail }) {
  const [chosen, choose] = useState(0);
  const { before, after, copies, change } = detail;
  const own = kindText(change.kinds);
  const copy = copies[chosen];
  const root = { title: own, before, after };
  if (copy === undefined)
    return html`<p class="quiet">No copy has arrived.</p><${Comparison} caption=${`${own}, attribute by attribute`} of=${[root]} />`;
  const kind = store.project.rules.find(({ name }) => name === copy.rule)?.to;
  // Both are of one kind if a copy was checked, or if the item is its own copy.
  const title = kind === undefined || kind === own ? 'copy' : kind;
  const more = change.arrived - copies.length;
  const select = ({ currentTarget }: { currentTarget: HTMLSelectElement }) =>
    choose(currentTarget.selectedIndex);
  return html`
    <p>
      <label>Copy (${number(change.arrived)}) <select value=${chosen} onChange=${select}>
        ${copies.map(({ key }, at) => html`<option value=${at}>${keyText(key)}</option>`)}
      </select></label>
      ${' '}<${KeyLink} of=${copy.key} /> written ${milliseconds(copy.lag)} after the change was read, by
      ${' '}${copy.rule || 'a removal'}. ${more > 0 && `${number(more)} more copies are only counted.`}
    </p>
    <${Comparison} caption=${`${own} and ${title}, attribute by attribute`} of=${[root, { ...copy, title }]} />
  `;
}
