import { counted, number } from '../model/basics/text.ts';
import { keyAsJson } from '../model/items/item.ts';
import { type KindCounts, type Strangers, strangersLikeNone } from '../model/rules/kind-counts.ts';
import type { Registry } from '../model/rules/registry.ts';
import { type Finding, findings } from './finding.ts';

/** What a table's items are, a line for all and one for each sort of no kind that is like none. Keys and types, no other content. */
export function coverageLines(registry: Registry, counts: KindCounts): readonly string[] {
  const { items, kinds, ofNoKind, ofLedgers } = counts;
  const names = [...new Set(registry.kinds.map(({ name }) => name))];
  const sums = [
    ...names.map((name) => `${number(kinds[name] ?? 0)} ${name}`),
    ...(ofNoKind === 0 ? [] : [`${number(ofNoKind)} of no kind`]),
    ...(ofLedgers === 0 ? [] : [`${number(ofLedgers)} of the worker’s own`]),
  ];
  const groups = strangersLikeNone(counts);
  const grouped = counts.strangers.reduce((sum, one) => sum + one.items, 0);
  return [
    `table  ${counted(items, 'item')}: ${sums.join(', ')}`,
    ...groups.map((group) => `table  no kind  ${number(group.items)} with ${strangerWords(registry, group)}`),
    ...(grouped === ofNoKind
      ? []
      : [`table  no kind  ${number(ofNoKind - grouped)} of more sorts, only counted`]),
  ];
}

/** The items of no kind as findings, for those who want every item to be of a kind. */
export function uncovered(registry: Registry, counts: KindCounts): readonly Finding[] {
  const messages = strangersLikeNone(counts).map(
    (group) =>
      `Expected each item to be of a kind, found ${group.items} of none with ${strangerWords(registry, group)}: list a kind for them`,
  );
  return findings('table', 'no kind', messages);
}

function strangerWords({ table }: Registry, { shape, type, example }: Strangers): string {
  return `keys like ${shape} and ${table.type} ${type}, such as ${keyAsJson(table, example)}`;
}
