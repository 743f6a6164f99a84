import { html } from 'htm/preact';
import { counted, number, typeAndContent, valueText, visible } from '../../model/basics/text.ts';
import type { Attributes, Key } from '../protocol/views.ts';
import { link } from './ask.ts';
import { cut, shownKey } from './texts.ts';

/** What an item holds becomes text or an attribute, never markup: the page has no other way to show it. */
type Shown = ReturnType<typeof html> | string | number | false | undefined;

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
  /** The keys of the rows, if they hold something to lose when others come and go. */
  readonly keys?: readonly string[];
}

/** Without columns that have nothing in any row. */
export function Table({ caption, head, rows, keys = [] }: TableProps) {
  const kept = [...head.keys()].filter((at) => at === 0 || rows.some((row) => row[at] || row[at] === 0));
  const cell = (row: readonly Shown[]) => (at: number) =>
    at === 0
      ? html`<th scope="row" role="rowheader">${row[at]}</th>`
      : html`<td role="cell" data-column=${head[at]}><div>${row[at]}</div></td>`;
  // The roles stay those of a table where the style makes blocks of it.
  return html`<table role="table">
    <caption>${caption}</caption>
    <thead role="rowgroup">
      <tr role="row">${kept.map((at) => html`<th scope="col" role="columnheader">${head[at]}</th>`)}</tr>
    </thead>
    <tbody role="rowgroup">${rows.map((row, at) => html`<tr key=${keys[at]} role="row">${kept.map(cell(row))}</tr>`)}</tbody>
  </table>`;
}

export function KeyLink({ of }: { readonly of: Key }) {
  return html`<a href=${link('items', { pk: of.pk, sk: of.sk })}><code>${shownKey(of)}</code></a>`;
}

export function Failed({ error }: { readonly error: string | undefined }) {
  return error !== undefined && html`<p class="bad" role="alert">${error}</p>`;
}

/** Gives an element the focus if what had it is gone. */
export function refocus(element: HTMLElement | null): void {
  if (document.activeElement === document.body) element?.focus();
}

/** Longer maps and lists are trees; longer texts are opened on request. In characters. */
const most = { line: 60, text: 1_000 };

interface ValueProps {
  readonly of: unknown;
  /** What it was, if what differs is to be marked. */
  readonly than?: { readonly was: unknown };
}

export function AttributeText({ of, than }: ValueProps) {
  const text = of === false ? '(large)' : valueText(of);
  const [type, content] = typeAndContent(of);
  if (text.length > most.line && (type === 'M' || type === 'L')) {
    const [, old] = typeAndContent(than?.was);
    const was = new Map(Object.entries(old ?? {}));
    const one = ([name, member]: readonly [string, unknown]) =>
      html`<li>${visible(name)} <${AttributeText} of=${member} than=${than && { was: was.get(name) }} /></li>`;
    // DynamoDB gives the members of a map in any order.
    const members = Object.entries(content ?? {});
    const sorted = type === 'L' ? members : members.sort(([a], [b]) => (a < b ? -1 : 1));
    return html`<ul class="tree">${sorted.map(one)}</ul>`;
  }
  const shown =
    text.length <= most.text
      ? html`<code>${text}</code>`
      : html`<details>
          <summary><code>${cut(text, most.line)} (${number(text.length)} characters)</code></summary>
          <code>${text}</code>
        </details>`;
  return than !== undefined && valueText(than.was) !== text ? html`<mark>${shown}</mark>` : shown;
}

/** An item before and after a change; undefined where it did not exist. */
export interface Images {
  readonly title?: string;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
}

/** The names of the attributes that differ in some of the items. */
export function differing(of: readonly Images[]): string[] {
  return namesIn(of).filter((name) =>
    of.some(({ before, after }) => textIn(before, name) !== textIn(after, name)),
  );
}

/** Items side by side, attribute by attribute, each before and after; equal attributes are folded. */
export function Comparison({ caption, of }: { readonly caption: string; readonly of: readonly Images[] }) {
  const different = differing(of);
  const equal = namesIn(of).filter((name) => !different.includes(name));
  const table = (title: string, names: readonly string[]) =>
    html`<${Table} caption=${title} head=${['attribute', ...of.flatMap(titlesOf)]} rows=${names.map((name) => [visible(name), ...of.flatMap((one) => sides(one, name))])} />`;
  const folded = html`<details>
    <summary>${counted(equal.length, 'attribute is', 'attributes are')} equal</summary>
    ${table('Equal attributes', equal)}
  </details>`;
  return html`${different.length > 0 && table(caption, different)}${equal.length > 0 && folded}`;
}

function namesIn(of: readonly Images[]): string[] {
  return [...new Set(of.flatMap(({ before, after }) => Object.keys({ ...before, ...after })))].sort();
}

function textIn(item: Attributes | undefined, name: string): string | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? valueText(item[name]) : undefined;
}

function titlesOf({ title, before, after }: Images): string[] {
  if (before !== undefined && after !== undefined) return [`${title} before`, `${title} after`];
  return [`${title}${after === undefined ? ', gone' : ''}`];
}

/** Before and after; of an item that was put, or is gone, what it has or had. */
function sides({ before, after }: Images, name: string): readonly Shown[] {
  if (before === undefined || after === undefined) {
    const only = after ?? before ?? {};
    return [Object.hasOwn(only, name) ? html`<${AttributeText} of=${only[name]} />` : '–'];
  }
  const [was, is] = [textIn(before, name), textIn(after, name)];
  const none = html`<span class="quiet">–</span>`;
  const first = was === undefined ? none : html`<${AttributeText} of=${before[name]} />`;
  if (is !== undefined)
    return [first, html`<${AttributeText} of=${after[name]} than=${{ was: before[name] }} />`];
  return [first, was === undefined ? none : html`<span class="bad">removed</span>`];
}
