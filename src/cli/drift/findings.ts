import type { WouldWrite } from '../../explain/dry-run/overlaid-table.ts';
import { namedWrite } from '../../explain/work.ts';
import { counted, visible, words } from '../../model/basics/text.ts';
import { sameKey } from '../../model/items/item.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { LeftAlone } from '../../operate/drift/repair.ts';
import { type Drift, type DriftKind, driftKinds, isRepairable } from '../../worker/verify/drift.ts';
import type { Targetless } from '../../worker/verify/verify-table.ts';
import { writeText } from '../output/lines.ts';
import type { ListingEntry } from '../output/listing.ts';
import { nextCommand, type PlaceOptions } from '../output/next-command.ts';
import { styled } from '../output/terminal.ts';
import { keyJson, namedKey } from '../output/text.ts';

/** What a finding means, with what to do where no repair does it. */
const meanings: Readonly<Record<Exclude<DriftKind, 'invalid'> | 'targetless', string>> = {
  differs: 'not what its root says',
  derived: 'not what its rule computes for it',
  missing: 'its rule creates an item at this key, which is free',
  empty: 'a target without members, which its rule removes',
  excluded: 'when is false for its root, and its rule removes such copies',
  unlisted: 'its root does not list its key any more, and its rule removes such copies',
  orphan: 'no root is at the key that it names: put the root, or delete the copy',
  foreign: 'its root places its copies elsewhere: correct what names the root, or delete the copy',
  unlinked: 'it names no root, and still has what was copied: correct it, or delete it',
  targetless: 'no target is at the key that it names: write the target, and its totals are computed',
};

/** What was found comes before what was left alone. */
const rankOfLeftAlone = driftKinds.length + 1;

export function findingEntry(
  table: KeyNames,
  drift: Drift,
  options: PlaceOptions,
  values?: (drift: Drift) => Promise<readonly string[]>,
): ListingEntry {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
  const means = kind === 'invalid' ? `${code}: ${visible(reason ?? '')}: correct the item` : meanings[kind];
  return {
    json: () => ({
      finding: kind,
      rule,
      copy: namedKey(table, copy),
      ...(root && { root: namedKey(table, root) }),
      ...(attributes.length > 0 && { attributes }),
      ...(unmapped.length > 0 && { unmapped }),
      ...(concerns && { concerns }),
      ...(code !== undefined && { code, reason }),
    }),
    group: [kind, rule, means].join('\n'),
    heading: (count) =>
      `${styled(isRepairable(drift) ? 'yellow' : 'red', kind)}  ${rule}  ${counted(count, 'item')}: ${means}`,
    text: async () =>
      [`${keyJson(table, copy)}${detail(table, drift)}`, ...((await values?.(drift)) ?? [])].join('\n'),
    rank: driftKinds.indexOf(kind),
    // Nothing is at the key of a missing copy: its root says why.
    next: explained(table, kind === 'missing' ? (root ?? copy) : copy, options),
  };
}

/** What a finding has beside its key: attribute names, and its root where the key does not say it. */
function detail(
  table: KeyNames,
  { kind, copy, root, isOfEntry, attributes, unmapped, concerns }: Drift,
): string {
  const itsRoot = root === undefined || sameKey(root, copy) ? '' : keyJson(table, root);
  switch (kind) {
    case 'differs':
    case 'derived':
      if (isOfEntry) return `  its entry in the ledger of ${itsRoot || 'itself'} is not what it counts for`;
      return `  ${words(attributes)}${unmapped.length > 0 ? `; no rule names ${words(unmapped)}` : ''}`;
    case 'missing':
      return itsRoot === '' ? '  it has members' : `  its root is ${itsRoot}`;
    case 'invalid':
      return concerns === 'root' && itsRoot !== '' ? `  by its root ${itsRoot}` : '';
    case 'excluded':
    case 'unlisted':
    case 'orphan':
    case 'foreign':
      return itsRoot === '' ? '' : `  its root ${kind === 'orphan' ? 'would be' : 'is'} ${itsRoot}`;
    case 'empty':
    case 'unlinked':
      return '';
  }
}

export function targetlessEntry(
  table: KeyNames,
  { rule, copy, root }: Targetless,
  options: PlaceOptions,
  /** Whether no member of its aggregate has a target, once all are known. */
  areAll: () => boolean,
): ListingEntry {
  return {
    json: () => ({ finding: 'targetless', rule, copy: namedKey(table, copy), root: namedKey(table, root) }),
    group: ['targetless', rule].join('\n'),
    heading: (count) =>
      `${styled('yellow', 'targetless')}  ${rule}  ${counted(count, 'member')}: ${meanings.targetless}${areAll() ? ', or correct targetsOf, which names none that exists' : ''}`,
    text: () => `${keyJson(table, copy)}  its target would be ${keyJson(table, root)}`,
    rank: driftKinds.length,
    next: explained(table, copy, options),
  };
}

export function leftAloneEntry(
  table: KeyNames,
  { rule, copy, root, code, reason }: LeftAlone,
  options: PlaceOptions,
): ListingEntry {
  const which = copy ?? root;
  const rootsFault = copy && root && code.startsWith('root.') ? `  its root ${keyJson(table, root)}` : '';
  return {
    json: () => ({
      leftAlone: code,
      rule,
      ...(copy && { copy: namedKey(table, copy) }),
      ...(root && { root: namedKey(table, root) }),
      reason,
    }),
    group: [code, rule, reason].join('\n'),
    heading: (count) =>
      `${styled('red', 'left alone')}  ${rule}  ${counted(count, 'item')}: ${code}: ${visible(reason)}`,
    text: () => (which === undefined ? 'a key that is unknown' : `${keyJson(table, which)}${rootsFault}`),
    rank: rankOfLeftAlone,
    next: which && explained(table, which, options),
  };
}

/** A write of a dry run with its condition: attribute names, never values. */
export function writeEntry(table: KeyNames, write: WouldWrite): ListingEntry {
  const { does, key, ...names } = namedWrite(write);
  const text = writeText(names);
  return {
    json: () => ({ wouldWrite: does, key: namedKey(table, key), ...names }),
    group: [does, text].join('\n'),
    heading: () => `${styled('yellow', does)}  ${text}`,
    text: () => keyJson(table, key),
    rank: -1,
  };
}

function explained(table: KeyNames, key: Drift['copy'], options: PlaceOptions): () => string {
  return () => nextCommand(['explain', keyJson(table, key)], options);
}
