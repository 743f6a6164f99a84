import type { ArchiveRule } from '../../../model/archive-rule.ts';
import { describeArchiveRule } from '../describe-rule.ts';
import type { RuleChange } from './rule-change.ts';
import type { TreeRules } from './tree-rules.ts';

/** What changes about archiving, kind by kind: kinds go from one rule to another. */
export function compareArchives(before: TreeRules, after: TreeRules): RuleChange[] {
  const kinds = [...before.archives, ...after.archives].flatMap((rule) => rule.kinds.map(({ name }) => name));
  return [...new Set(kinds)].flatMap((kind) => {
    const [was, is] = [ruleOf(before, kind), ruleOf(after, kind)];
    if (is === undefined)
      return [
        of(
          was,
          kind,
          'archived',
          'not archived',
          'expires unarchived from now on; what the archive holds stays',
        ),
      ];
    if (was === undefined)
      return [
        of(
          is,
          kind,
          'not archived',
          'archived',
          'is archived when it next changes before it expires: see `denorm archive audit` for what was not',
        ),
      ];
    return differencesOf(was, is).map(({ what, old, now, says }) => ({
      ...of(is, kind, old, now, says),
      what,
    }));
  });
}

function ruleOf({ archives }: TreeRules, kind: string): ArchiveRule | undefined {
  return archives.find(({ kinds }) => kinds.some(({ name }) => name === kind));
}

function differencesOf(was: ArchiveRule, is: ArchiveRule) {
  const [before, after] = [describeArchiveRule(was), describeArchiveRule(is)];
  const later = 'counts from now on; what the archive holds stays as it is';
  const aged = 'those that are old enough by now are archived and given an expiry by the next sweep';
  const named = [
    ['layout', before.layout, after.layout, later],
    ['storage class', before.storageClass, after.storageClass, later],
    ['ages', before.ages, after.ages, is.ages === undefined ? 'none is given an expiry any more' : aged],
    ['deleted', before.onDelete, after.onDelete, later],
  ] as const;
  return named
    .filter(([, old, now]) => old !== now)
    .map(([what, old, now, says]) => ({ what, old, now, says }));
}

function of(
  rule: ArchiveRule | undefined,
  kind: string,
  before: string,
  after: string,
  says: string,
): RuleChange {
  return { rule: rule?.name ?? '', what: 'archive', attribute: kind, before, after, effect: 'nothing', says };
}
