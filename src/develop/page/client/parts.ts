import { html } from 'htm/preact';
import type { Attributes, Key } from '../protocol/project.ts';
import { counted, number, valueText, visible } from '../protocol/texts.ts';
import { link } from './ask.ts';
import { keyText } from './texts.ts';

/** What an item holds becomes text or an attribute, never markup: the page has no other way to show it. */
type Shown = ReturnType<typeof html> | string | number | undefined;

interface TableProps {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Shown[])[];
}

export function Table({ caption, head, rows }: TableProps) {
  const cell = (content: Shown, at: number) =>
    at === 0
      ? html`<th scope="row" role="rowheader">${content}</th>`
      : html`<td role="cell" data-column=${head[at]}><div>${content}</div></td>`;
  // The roles stay those of a table where the style makes blocks of it.
  return html`<table role="table">
    <caption>${caption}</caption>
    <thead role="rowgroup">
      <tr role="row">${head.map((text) => html`<th scope="col" role="columnheader">${text}</th>`)}</tr>
    </thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${row.map(cell)}</tr>`)}</tbody>
  </table>`;
}

export function KeyLink({ of }: { readonly of: Key }) {
  return html`<a href=${link('item', { pk: of.pk, sk: of.sk })}><code>${keyText(of)}</code></a>`;
}

/** A value in the table. A long one is opened on request. */
export function Value({ of }: { readonly of: unknown }) {
  const text = valueText(of);
  if (text.length <= maxShown) return html`<code>${text}</code>`;
  return html`<details>
    <summary><code>${text.slice(0, 60)}… (${number(text.length)} characters)</code></summary>
    <code>${text}</code>
  </details>`;
}

const maxShown = 1_000;

export function Failed({ error }: { readonly error: string | undefined }) {
  return error !== undefined && html`<p class="bad" role="alert">${error}</p>`;
}

/** An item before and after a change; undefined where it did not exist. */
export interface Images {
  readonly title: string;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
}

/** Items side by side, attribute by attribute, each before and after; equal attributes are folded. */
export function Comparison({ caption, of }: { readonly caption: string; readonly of: readonly Images[] }) {
  const isSame = (name: string) =>
    of.every(({ before, after }) => textIn(before, name) === textIn(after, name));
  const names = [...new Set(of.flatMap((one) => Object.keys({ ...one.before, ...one.after })))].sort();
  const equal = names.filter(isSame);
  const table = (title: string, some: readonly string[]) => html`<${Table}
    caption=${title}
    head=${['attribute', ...of.flatMap((one) => [`${one.title} before`, `${one.title} after`])]}
    rows=${some.map((name) => [visible(name), ...of.flatMap((one) => sides(one, name))])}
  />`;
  return html`
    ${
      equal.length < names.length &&
      table(
        caption,
        names.filter((name) => !isSame(name)),
      )
    }
    ${
      equal.length > 0 &&
      html`<details>
        <summary>${counted(equal.length, 'attribute is', 'attributes are')} equal</summary>
        ${table('Equal attributes', equal)}
      </details>`
    }
  `;
}

function textIn(item: Attributes | undefined, name: string): string | undefined {
  return item !== undefined && Object.hasOwn(item, name) ? valueText(item[name]) : undefined;
}

function sides({ before, after }: Images, name: string): readonly Shown[] {
  const shown = (item: Attributes | undefined) => html`<${Value} of=${item?.[name]} />`;
  const [was, is] = [textIn(before, name), textIn(after, name)];
  const none = html`<span class="quiet">–</span>`;
  const gone = html`<span class="bad">removed</span>`;
  return [
    was === undefined ? none : shown(before),
    is === undefined
      ? was === undefined
        ? none
        : gone
      : was === is
        ? shown(after)
        : html`<mark>${shown(after)}</mark>`,
  ];
}
