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
  return {
    ...place,
    keyNames: { pk, sk },
    kinds: registry.kinds.map(({ name, pkPattern, skPattern }) => ({
      name,
      keys: patternText({ pkPattern, skPattern }),
    })),
    rules: [
      ...registry.rules.map((rule) => {
        const copy = rule.located.in === 'itself' ? rule.root : rule.copy;
        return ruleView(describe(rule), [rule.root], copy);
      }),
      ...registry.aggregates.map((one) => ruleView(describe(one), [one.of], one.on)),
      ...registry.archives.map((one) => ruleView(describe(one), one.kinds, undefined)),
    ],
  };
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
