import type { Aging, ArchiveRule } from '../../model/archive-rule.ts';
import { type Description, describeTyped, sourceText } from './description.ts';

export function describeArchive(rule: ArchiveRule): Description {
  return {
    rule: rule.name,
    type: 'archive',
    fields: {
      kinds: rule.kinds.map(describeTyped),
      when: rule.when.map(({ kind, item }) => `${kind.name}: ${sourceText(item)}`),
      layout: [rule.layout === 'object' ? 'an object for each item' : 'an object for each batch of items'],
      storageClass: [rule.storageClass ?? 'that of the deployment'],
      ages: rule.ages === undefined ? ['never'] : describeAging(rule.ages),
      onDelete: [deletions[rule.onDelete]],
    },
  };
}

const deletions = {
  keep: 'archived states stay',
  erase: 'archived states are erased, with all versions',
  archive: 'the last state is archived as if it had expired',
} as const;

function describeAging({ kind, days, when, since, found, with: companions }: Aging): readonly string[] {
  return [
    `${kind.name}, ${days} days after ${sourceText(since)}`,
    `finished: ${sourceText(when)}`,
    found.in === 'scan'
      ? 'found by a scan'
      : `found in ${found.index.name}, partitions ${found.pks.join(', ')}, until ${sourceText(found.until)}`,
    ...companions.map((one) => `with its ${one.kind.name}: ${sourceText(one.at)}`),
  ];
}
