import type { Attributes } from '../protocol/project.ts';
import { element, tableOf } from './element.ts';
import { valueText } from './texts.ts';

/** A column of a comparison: an item at a moment; undefined where it did not exist. */
export interface Side {
  readonly title: string;
  readonly item: Attributes | undefined;
}

/** A side is marked where it differs from the side before it, of the same pair. */
export type Pair = readonly [before: Side, after: Side];

/** Items side by side, attribute by attribute; those that have changed come first. */
export function comparison(caption: string, pairs: readonly Pair[]): HTMLElement {
  const sides = pairs.flat();
  const names = [...new Set(sides.flatMap(({ item }) => Object.keys(item ?? {})))];
  const hasChanged = (name: string) =>
    pairs.some(([before, after]) => valueText(before.item, name) !== valueText(after.item, name));
  const ordered = names.sort((a, b) => Number(hasChanged(b)) - Number(hasChanged(a)) || a.localeCompare(b));
  const rows = ordered.map((name) => [
    name,
    ...pairs.flatMap(([before, after]) => {
      const [was, is] = [valueText(before.item, name), valueText(after.item, name)];
      return [cell(was, false), cell(is, was !== is)];
    }),
  ]);
  return tableOf(caption, ['attribute', ...sides.map(({ title }) => title)], rows);
}

function cell(text: string | undefined, isMarked: boolean): HTMLElement {
  if (text === undefined)
    return element('span', { class: isMarked ? 'gone' : 'quiet' }, isMarked ? 'removed' : '–');
  return element(isMarked ? 'mark' : 'span', {}, text);
}
