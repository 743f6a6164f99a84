import type { WouldWrite } from '../../explain/dry-run/overlaid-table.ts';
import { namedWrite } from '../../explain/work.ts';
import { visible, words } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import type { LeftAlone } from '../../operate/drift/repair.ts';
import { type Drift, isRepairable } from '../../worker/verify/drift.ts';
import type { Targetless } from '../../worker/verify/verify-table.ts';
import type { Entry } from '../output/listing.ts';
import { styled } from '../output/terminal.ts';
import { keyJson, namedKey } from '../output/text.ts';
import { writeText } from '../output/writes.ts';

export function findingEntry(table: KeyNames, drift: Drift): Entry {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
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
    text: () =>
      `${styled(isRepairable(drift) ? 'yellow' : 'red', kind.padEnd(13))} ${rule}  ${keyJson(table, copy)}${sentence(drift, root && keyJson(table, root))}`,
  };
}

export function targetlessEntry(table: KeyNames, { rule, copy, root }: Targetless): Entry {
  return {
    json: () => ({ finding: 'targetless', rule, copy: namedKey(table, copy), root: namedKey(table, root) }),
    text: () =>
      `${styled('yellow', 'targetless'.padEnd(13))} ${rule}  ${keyJson(table, copy)}  no target is at ${keyJson(table, root)}: write it, and its totals are computed`,
  };
}

function sentence(
  { kind, isOfEntry, attributes, unmapped, concerns, code, reason }: Drift,
  root: string | undefined,
): string {
  switch (kind) {
    case 'differs':
    case 'derived':
      if (isOfEntry) return `  its entry in the ledger of ${root} is not what it counts for`;
      return `  ${words(attributes)}${unmapped.length > 0 ? `; no rule names ${words(unmapped)}` : ''}`;
    case 'missing':
      return `  its root ${root} places it at this key, which is free`;
    case 'excluded':
      return `  when is false for its root ${root}`;
    case 'unlisted':
      return `  its root ${root} does not list its key`;
    case 'orphan':
      return `  no root is at ${root}`;
    case 'foreign':
      return `  its root ${root} places its copies elsewhere`;
    case 'unlinked':
      return '  it names no root, and still has what was copied';
    case 'invalid':
      return `  ${concerns === 'root' ? `its root ${root}: ` : ''}${code}: ${visible(reason ?? '')}`;
  }
}

export function leftAloneEntry(table: KeyNames, { rule, copy, root, code, reason }: LeftAlone): Entry {
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
    under: () => `${styled('red', 'left alone')}  ${rule}  ${code}: ${visible(reason)}`,
    text: () => (which === undefined ? 'a key that is unknown' : `${keyJson(table, which)}${rootsFault}`),
  };
}

/** A write of a dry run with its condition: attribute names, never values. */
export function writeEntry(table: KeyNames, write: WouldWrite): Entry {
  const { does, key, ...names } = namedWrite(write);
  return {
    json: () => ({ wouldWrite: does, key: namedKey(table, key), ...names }),
    under: () => `${styled('yellow', does)}  ${writeText(names)}`,
    text: () => keyJson(table, key),
  };
}
