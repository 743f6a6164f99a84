import { type Description, describe } from '../../explain/description.ts';
import { keyParts } from '../../model/items/table-names.ts';
import { patternText } from '../../model/kinds/kind.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { ProjectView, RuleView } from '../protocol/views.ts';

export function projectView(
  registry: Registry,
  place: Pick<ProjectView, 'table' | 'where' | 'endpoint'>,
): Omit<ProjectView, 'answers'> {
  const [pk = '', sk = ''] = keyParts(registry.table).names;
  const rules = rulesOf(registry);
  const layers = layersOf(rules);
  return {
    ...place,
    keyNames: { pk, sk },
    ttl: registry.table.ttl,
    indexes: Object.values(registry.table.indexes)
      .filter((index) => keyParts(index).pk.length === 1)
      .map((index) => ({ name: index.name, keys: keyParts(index).names })),
    kinds: registry.kinds.map(({ name, pkPattern, skPattern }) => ({
      name,
      keys: patternText({ pkPattern, skPattern }),
      layer: layers.get(name),
    })),
    rules,
  };
}

function rulesOf({ rules, aggregates, archives }: Registry): readonly RuleView[] {
  return [
    ...rules.map((rule) => {
      const copy = rule.located.in === 'itself' ? rule.root : rule.copy;
      return ruleView(describe(rule), [rule.root], copy);
    }),
    ...aggregates.map((one) => ruleView(describe(one), [one.of], one.on)),
    ...archives.map((one) => ruleView(describe(one), one.kinds, undefined)),
  ];
}

/** How many rules lead to each kind, one after the other. A circle of kinds ends where it began. */
export function layersOf(rules: readonly Pick<RuleView, 'from' | 'to'>[]): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  const visit = (kind: string, above: readonly string[]): number => {
    const known = layers.get(kind);
    if (known !== undefined) return known;
    const before = rules.filter(
      ({ from, to }) => to === kind && !from.some((one) => [...above, kind].includes(one)),
    );
    const depths = before.flatMap(({ from }) => from.map((one) => visit(one, [...above, kind]) + 1));
    const layer = Math.max(0, ...depths);
    layers.set(kind, layer);
    return layer;
  };
  for (const { from, to } of rules)
    for (const kind of [...from, ...(to === undefined ? [] : [to])]) visit(kind, []);
  return layers;
}

interface Named {
  readonly name: string;
}

function ruleView({ rule, fields }: Description, from: readonly Named[], to: Named | undefined): RuleView {
  const words = Object.entries(fields).flatMap(([field, entries]) =>
    entries.map((entry) => [field, entry] as const),
  );
  return { name: rule, from: from.map(({ name }) => name), to: to?.name, words };
}
