import type { LeftAlone } from '../../operate/drift/repair.ts';
import type { WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { type Drift, isRepairable } from '../../worker/verify/drift.ts';
import type { Targetless } from '../../worker/verify/verify-table.ts';
import type { Entry } from '../output/listing.ts';
import { styled } from '../output/terminal.ts';
import { keyAsJson, keyJson } from '../output/text.ts';
import { visible, words } from '../output/visible.ts';
import { namedWrite, writeText } from '../output/writes.ts';

export function findingEntry(drift: Drift): Entry {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
  return {
    json: () => ({
      finding: kind,
      rule,
      copy: keyAsJson(copy),
      ...(root && { root: keyAsJson(root) }),
      ...(attributes.length > 0 && { attributes }),
      ...(unmapped.length > 0 && { unmapped }),
      ...(concerns && { concerns }),
      ...(code !== undefined && { code, reason }),
    }),
    text: () =>
      `${styled(isRepairable(drift) ? 'yellow' : 'red', kind.padEnd(13))} ${rule}  ${keyJson(copy)}${sentence(drift, root && keyJson(root))}`,
  };
}

export function targetlessEntry({ rule, copy, root }: Targetless): Entry {
  return {
    json: () => ({ finding: 'targetless', rule, copy: keyAsJson(copy), root: keyAsJson(root) }),
    text: () =>
      `${styled('yellow', 'targetless'.padEnd(13))} ${rule}  ${keyJson(copy)}  no target is at ${keyJson(root)}: write it, and its totals are computed`,
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

export function leftAloneEntry({ rule, copy, root, code, reason }: LeftAlone): Entry {
  const which = copy ?? root;
  const rootsFault = copy && root && code.startsWith('root.') ? `  its root ${keyJson(root)}` : '';
  return {
    json: () => ({
      leftAlone: code,
      rule,
      ...(copy && { copy: keyAsJson(copy) }),
      ...(root && { root: keyAsJson(root) }),
      reason,
    }),
    under: () => `${styled('red', 'left alone')}  ${rule}  ${code}: ${visible(reason)}`,
    text: () => (which === undefined ? 'a key that is unknown' : `${keyJson(which)}${rootsFault}`),
  };
}

/** A write of a dry run with its condition: attribute names, never values. */
export function writeEntry(write: WouldWrite): Entry {
  const { does, ...named } = namedWrite(write);
  return {
    json: () => ({ wouldWrite: does, ...named }),
    under: () => `${styled('yellow', does)}  ${writeText({ does, ...named })}`,
    text: () => keyJson(write.write.key),
  };
}
