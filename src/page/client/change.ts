import { html } from 'htm/preact';
import { useRef, useState } from 'preact/hooks';
import { counted, number, visible } from '../../model/basics/text.ts';
import type { ChangeDetail, ChangeView, CopyDetail } from '../protocol/changes.ts';
import { link, useAnswer } from './ask.ts';
import { Comparison, differing, Failed, KeyLink, Table } from './parts.ts';
import { store } from './store.ts';
import { durationText, eventText, kindText, time } from './texts.ts';

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
    ${kept.current === undefined ? html`<p>Its content is not kept any more.</p>` : html`<${Sides} detail=${kept.current} />`}
  </section>`;
}

function Facts({ change }: { readonly change: ChangeView }) {
  const { key, kinds, cause, rules } = change;
  return html`
    <h2>${kindText(kinds)} ${eventText(change)} at ${time(change.at)}</h2>
    <p><${KeyLink} of=${key} />
      ${cause !== undefined && html`, because of <a href=${link('change', { id: String(cause) })}>this change</a>`}</p>
    <${Table} caption="Rules" head=${['rule', 'why', 'did', 'took']} rows=${rules.map(({ rule, why, text, milliseconds }) => [rule, why, text, durationText(milliseconds)])} />
    ${rules.flatMap(({ rule, failed }) => failed.map(({ key, reason }) => html`<p class="bad">${rule} dead-lettered <${KeyLink} of=${key} />: ${visible(reason)}. <a href=${link('trouble')}>Trouble</a></p>`))}
    ${change.cost && html`<p>Cost so far: ${change.cost}.</p>`}
  `;
}

/** The change beside one of its copies, which is chosen in the list of all. */
function Sides({ detail }: { readonly detail: ChangeDetail }) {
  const [chosen, choose] = useState(0);
  const { before, after, copies, change } = detail;
  const own = kindText(change.kinds);
  const copy = copies[chosen];
  const root = { title: own, before, after };
  if (copy === undefined)
    return html`<h3>${headOf(root)}</h3><${Comparison} caption=${`${own}, attribute by attribute`} of=${[root]} />`;
  // Both are of one kind if a copy was checked, or if the item is its own copy.
  const title = copy.kind === own ? 'copy' : copy.kind;
  const more = change.arrived - copies.length;
  return html`
    <h3>Before and after</h3>
    <${Comparison} caption=${`${own} and ${title}, attribute by attribute`} of=${[root, { ...copy, title }]} />
    <h3>${counted(change.arrived, 'copy', 'copies')} in ${durationText(change.maxLag)}</h3>
    <${Table} caption="Copies, in the order of their arrival" head=${['copy', 'wrote', 'after', 'above']} rows=${copies.map((one, at) => copyRow(one, at === chosen, () => choose(at)))} />
    ${more > 0 && html`<p class="quiet">${number(more)} more copies are only counted.</p>`}
  `;
}

function headOf({ before, after }: Pick<ChangeDetail, 'before' | 'after'>): string {
  if (before !== undefined && after !== undefined) return 'Before and after';
  return after === undefined ? 'What it was' : 'What was put';
}

function copyRow({ key, before, after, lag }: CopyDetail, isChosen: boolean, choose: () => void) {
  const names = differing([{ before, after }]).map(visible).join(', ');
  const wrote = before === undefined ? 'created' : after === undefined ? 'removed' : names;
  const text = isChosen ? 'Shown' : 'Show';
  const button = html`<button type="button" aria-pressed=${isChosen} onClick=${choose}>${text}</button>`;
  return [html`<${KeyLink} of=${key} />`, wrote, durationText(lag), button];
}
