import { html } from 'htm/preact';
import type { ChangeView, Difference, RuleOfChange } from '../protocol/changes.ts';
import { counted, number, valueText, visible } from '../protocol/texts.ts';
import { link } from './ask.ts';
import { store } from './store.ts';
import { countsText, eventText, keyText, kindText, milliseconds, time } from './texts.ts';

/** Changes that are listed: more are slow to draw, and nobody reads them. */
const maxListed = 200;

/** The live list of changes, newest first; what the worker wrote as a root of other rules is below its cause. */
export function Changes() {
  const { project, list, total } = store;
  const { rule, frozen } = list;
  const text = list.key.trim().toLowerCase();
  const isWanted = ({ key, rules }: ChangeView) =>
    (rule === '' || rules.some((one) => one.rule === rule && one.asks !== 'nothing')) &&
    keyText(key).toLowerCase().includes(text);
  const wanted = (frozen ?? store.newest()).filter(isWanted).slice(0, maxListed);
  const summary = `${counted(total, 'change')} so far, ${number(wanted.length)} listed${frozen ? ', paused' : ''}`;
  return html`<section>
    <h2>Changes</h2>
    <form onSubmit=${(event: Event) => event.preventDefault()}>
      <label>Rule <select value=${rule} onChange=${({ currentTarget }: Typed) => store.filter({ rule: currentTarget.value })}>
        <option value="">all rules</option>
        ${project.rules.map(({ name }) => html`<option value=${name}>${name}</option>`)}
      </select></label>
      <label>Key <input
        type="search"
        placeholder="part of a key"
        value=${list.key}
        onInput=${({ currentTarget }: Typed) => store.filter({ key: currentTarget.value })}
      /></label>
      <button
        type="button"
        aria-pressed=${frozen !== undefined}
        onClick=${() => store.filter({ frozen: frozen ? undefined : store.newest() })}
      >${frozen ? 'Go on' : 'Pause'}</button>
      ${
        (rule !== '' || text !== '') &&
        html`<button type="button" onClick=${() => store.filter({ rule: '', key: '' })}>Clear</button>`
      }
    </form>
    <p role="status" class="quiet">${total === 0 ? 'No change yet.' : summary}</p>
    ${
      total === 0 &&
      html`<p>Write an item to the table <code>${project.table}</code> ${project.where}, with any AWS SDK, region and
        credentials: it is listed here, with what the rules make of it.</p>`
    }
    <${Rows} label="Changes, newest first" all=${wanted} of=${undefined} />
  </section>`;
}

interface Typed {
  readonly currentTarget: HTMLInputElement | HTMLSelectElement;
}

interface RowsProps {
  readonly label: string;
  readonly all: readonly ChangeView[];
  /** The change that caused them; undefined for those without a cause in the list. */
  readonly of: number | undefined;
}

function Rows({ label, all, of }: RowsProps) {
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
  const { id, at, key, kinds, arrived, maxLag, differences, differing } = change;
  return html`<a href=${link('change', { id: String(id) })}>
    <time datetime=${new Date(at).toISOString()}>${time(at)}</time>
    <span><strong>${kindText(kinds)}</strong> ${eventText(change)}</span>
    <code>${keyText(key)}</code>
    <span>${differences.map(differenceText).join(', ')}${
      differing > differences.length &&
      differences.length > 0 &&
      ` and ${number(differing - differences.length)} more`
    }</span>
    <span><${Chips} change=${change} /></span>
    <span>${arrived > 0 && `${counted(arrived, 'copy', 'copies')} in ${milliseconds(maxLag)}`}</span>
  </a>`;
}

function differenceText({ name, was, is }: Difference): string {
  const short = (value: unknown) => {
    const text = valueText(value);
    return text.length > 40 ? `${text.slice(0, 40)}…` : text;
  };
  const isLarge = was === undefined && is === undefined;
  return visible(name) + (isLarge ? '' : ` ${short(was)} → ${short(is)}`);
}

export function Chips({ change }: { readonly change: ChangeView }) {
  const concerned = change.rules.filter(({ asks }) => asks !== 'nothing');
  const mark = ({ state, counts }: RuleOfChange) =>
    counts.deadLettered > 0 ? 'bad' : state === 'done' ? 'good' : 'lit';
  if (concerned.length === 0) return html`<span class="quiet">no rule matches</span>`;
  return concerned.map(
    (one) => html`<span>
      <b class=${mark(one)}>${countsText(one)}</b> ${one.rule} <span class="quiet">${milliseconds(one.milliseconds)}</span>
    </span> `,
  );
}
