import { html } from 'htm/preact';
import { counted, number } from '../../model/basics/text.ts';
import type { ChangeView } from '../protocol/changes.ts';
import { link } from './ask.ts';
import { FirstSteps } from './start.ts';
import { store } from './store.ts';
import { differenceText, durationText, eventText, kindText, shownKey, time } from './texts.ts';

/** Changes that are listed: more are slow to draw, and nobody reads them. */
const maxListed = 200;

/** The live list of changes, newest first; what the worker wrote as a root of other rules is below its cause. */
export function Changes() {
  const { list, total } = store;
  const text = list.key.trim().toLowerCase();
  const isWanted = ({ key, rules }: ChangeView) =>
    (list.rule === '' || rules.some((one) => one.rule === list.rule && one.asks !== 'nothing')) &&
    shownKey(key).toLowerCase().includes(text);
  const found = (list.frozen ?? store.newest()).filter(isWanted);
  const wanted = list.idle ? found : found.filter((change) => !change.isIdle);
  const hidden = found.length - wanted.length;
  const shown = wanted.slice(0, maxListed);
  const right = counted(hidden, 'copy that was right', 'copies that were right');
  const turn = list.idle ? 'Hide copies that were right' : `Show ${right}`;
  return html`<section>
    <h2>Changes</h2>
    ${total === 0 ? html`<${FirstSteps} />` : html`<${Filter} />`}
    <p role="status" class="quiet">
      ${total > 0 && `${counted(total, 'change')} so far, ${number(shown.length)} listed${list.frozen ? ', paused' : ''}. `}
      ${(hidden > 0 || list.idle) && html`<button type="button" onClick=${() => store.filter({ idle: !list.idle })}>${turn}</button>`}
    </p>
    <${Rows} label="Changes, newest first" all=${shown} of=${undefined} />
  </section>`;
}

function Filter() {
  const { rule, key, frozen } = store.list;
  const set = (name: 'rule' | 'key') => (event: { currentTarget: { value: string } }) =>
    store.filter({ [name]: event.currentTarget.value });
  const button = (name: string, list: Parameters<typeof store.filter>[0]) =>
    html`<button type="button" aria-pressed=${name === 'Go on'} onClick=${() => store.filter(list)}>${name}</button>`;
  return html`<form onSubmit=${(event: Event) => event.preventDefault()}>
    <label>Rule <select value=${rule} onChange=${set('rule')}>
      <option value="">all rules</option>
      ${store.project.rules.map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select></label>
    <label>Key <input type="search" placeholder="part of a key" value=${key} onInput=${set('key')} /></label>
    ${frozen ? button('Go on', { frozen: undefined }) : button('Pause', { frozen: store.newest() })}
    ${button('Clear', { rule: '', key: '' })}
  </form>`;
}

interface RowsProps {
  readonly label: string;
  readonly all: readonly ChangeView[];
  /** The change that caused them; undefined for those without a cause in the list. */
  readonly of: number | undefined;
}

export function Rows({ label, all, of }: RowsProps) {
  const ids = new Set(all.map(({ id }) => id));
  const rows = all.filter(({ cause }) => (cause !== undefined && ids.has(cause) ? cause : undefined) === of);
  if (rows.length === 0) return undefined;
  return html`<ol class="changes" aria-label=${label}>
    ${rows.map(
      (change) => html`<li key=${change.id}>
        <${Row} change=${change} />
        <${Rows} label="What followed" all=${all} of=${change.id} />
      </li>`,
    )}
  </ol>`;
}

function Row({ change }: { readonly change: ChangeView }) {
  const { id, at, key, kinds, maxLag, cost, differences, differing } = change;
  const more = differing - differences.length;
  return html`<a href=${link('change', { id: String(id) })}>
    <time datetime=${new Date(at).toISOString()}>${time(at)}</time>
    <span class="what"><strong>${kindText(kinds)}</strong> ${eventText(change)}</span>
    <code>${shownKey(key)}</code>
    <span>${differences.map(differenceText).join(', ') || undefined}${differences.length > 0 && more > 0 && ` and ${number(more)} more`}</span>
    <span><${Chips} change=${change} /></span>
    <span class="lag" title=${cost}>${durationText(maxLag)}</span>
  </a>`;
}

const signs = { bad: '✗ ', lit: '… ', good: '✓ ', quiet: '' };

/** What each rule did with a change: `✓ 3 × Membership`. */
export function Chips({ change }: { readonly change: ChangeView }) {
  const concerned = change.rules.filter(({ asks }) => asks !== 'nothing');
  if (concerned.length === 0) return html`<span class="quiet">no rule matches</span>`;
  return concerned.map((one) => {
    const { rule, why, root, asks, text, mark } = one;
    const isTarget = asks === 'propagation' && root !== undefined && shownKey(root) !== shownKey(change.key);
    return html`<span class=${mark === 'quiet' ? mark : `chip ${mark}`} title=${`${rule}: ${text}. ${why}`}>${signs[mark]}${text}${isTarget && ` ${shownKey(root)}`}</span> `;
  });
}
