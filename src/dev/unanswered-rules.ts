import { type IndexNames, keyParts } from '../model/items/table-names.ts';
import { memberIndexes } from '../model/rules/aggregate.ts';
import type { Registry } from '../model/rules/registry.ts';

/** The names of rules that the embedded server cannot serve: it refuses each query of an index of several attributes. */
export function unansweredRules({ rules, aggregates, archives }: Registry): readonly string[] {
  const using = [
    ...rules.map(({ name, located }) => ({ name, indexes: located.in === 'index' ? [located.index] : [] })),
    ...aggregates.map((one) => ({ name: one.name, indexes: memberIndexes(one) })),
    ...archives.map(({ name, ages }) => ({
      name,
      indexes: ages?.found.in === 'index' ? [ages.found.index] : [],
    })),
  ];
  return using.filter(({ indexes }) => indexes.some(hasSeveral)).map(({ name }) => name);
}

function hasSeveral(index: IndexNames): boolean {
  const { pk, sk } = keyParts(index);
  return pk.length > 1 || sk.length > 1;
}
