import type { ProjectView, RuleView } from '../../develop/page/protocol/project.ts';
import { archiveId } from '../../develop/page/server/rule-tally.ts';
import { allKinds, type Registry } from '../../model/registry.ts';
import { describeArchiveRule, describeKind, describeRule } from '../rules/describe-rule.ts';

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
        const { rule: name, from, to, creates, derives, ...words } = describeRule(rule);
        return {
          ...{
            id: name,
            name,
            from: rule.root.name,
            to: rule.located.in === 'itself' ? rule.root.name : rule.copy.name,
          },
          words: [
            ['from', from],
            ['to', to],
            ...Object.entries(words),
            ...(creates ? [['creates', 'missing copies'] as const] : []),
            ...derives.map((one) => ['derives', one] as const),
          ].map(([label = '', says]) => [label, String(says)] as const),
        };
      }),
      ...registry.aggregates.map(
        ({ name, of, on, computes, reads, limit }): RuleView => ({
          ...{ id: name, name, from: of.name, to: on.name },
          words: [
            ['members', describeKind(of)],
            ['target', describeKind(on)],
            ['computes', Object.keys(computes).join(', ')],
            ['reads of members', reads.member.join(', ')],
            ['most members', String(limit)],
          ],
        }),
      ),
      ...registry.archives.flatMap((rule) =>
        rule.kinds.map((kind): RuleView => {
          const { layout, storageClass, ages, onDelete } = describeArchiveRule(rule);
          return {
            ...{ id: archiveId(rule.name, kind.name), name: rule.name, from: kind.name, to: undefined },
            words: [
              ['archives', describeKind(kind)],
              ['layout', layout],
              ['storage class', storageClass],
              ['ages', ages],
              ['on delete', onDelete],
            ],
          };
        }),
      ),
    ],
  };
}
