import type { ProjectView, RuleView } from '../../develop/page/protocol/project.ts';
import { archiveId } from '../../develop/page/server/rule-tally.ts';
import { allKinds, type Registry } from '../../model/registry.ts';
import { type Description, describe } from '../rules/description.ts';

export interface ShownProject extends Pick<ProjectView, 'table' | 'where' | 'abilities'> {
  readonly registry: Registry;
}

/** The project's kinds and rules, as the page draws them. */
export function projectView({ registry, ...project }: ShownProject): ProjectView {
  const { pk, sk } = registry.table;
  return {
    ...project,
    keyNames: { pk, sk },
    kinds: allKinds(registry).map((kind) => ({
      name: kind.name,
      keys: `${kind.pkPattern.pattern} / ${kind.skPattern.pattern}`,
    })),
    rules: [
      ...registry.rules.map((rule): RuleView => {
        const copy = rule.located.in === 'itself' ? rule.root : rule.copy;
        return { ...named(rule.name, describe(rule)), from: rule.root.name, to: copy.name };
      }),
      ...registry.aggregates.map((aggregate): RuleView => {
        const { name, of, on } = aggregate;
        return { ...named(name, describe(aggregate)), from: of.name, to: on.name };
      }),
      ...registry.archives.flatMap((rule) =>
        rule.kinds.map(
          (kind): RuleView => ({
            ...named(archiveId(rule.name, kind.name), describe(rule)),
            ...{ from: kind.name, to: undefined },
          }),
        ),
      ),
    ],
  };
}

function named(id: string, { rule, fields }: Description): Pick<RuleView, 'id' | 'name' | 'words'> {
  const words = Object.entries(fields).flatMap(([field, entries]) =>
    entries.map((entry) => [field, entry] as const),
  );
  return { id, name: rule, words };
}
