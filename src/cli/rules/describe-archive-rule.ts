import type { Aging, ArchiveRule, DeletionPolicy } from '../../model/archive-rule.ts';
import { describeKind } from './describe-rule.ts';

/** An archive rule in words, for people and as JSON. */
export function describeArchiveRule(rule: ArchiveRule) {
  return {
    rule: rule.name,
    kinds: rule.kinds.map(describeKind),
    layout: rule.layout === 'object' ? 'an object for each item' : 'an object for each batch of items',
    storageClass: rule.storageClass ?? 'that of the deployment',
    ages: rule.ages === undefined ? 'never' : describeAging(rule.ages),
    onDelete: deletions[rule.onDelete],
  };
}

const deletions: Readonly<Record<DeletionPolicy, string>> = {
  keep: 'archived states stay',
  erase: 'archived states are erased, with all versions',
  archive: 'the last state is archived as if it had expired',
};

function describeAging({ kind, days, reads, found, with: others }: Aging): string {
  const what = [kind, ...others.map((other) => other.kind)].map(({ name }) => name).join(' with its ');
  const how = found.in === 'scan' ? 'a scan' : `a query of ${found.index.name}`;
  return `${what}, after ${days} days, as ${reads.join(' and ')} say; found by ${how}`;
}
