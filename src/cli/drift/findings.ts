import { itemToJson } from '../../model/dynamodb-json.ts';
import type { Item } from '../../model/item.ts';
import type { LeftAlone } from '../../operate/drift/repair.ts';
import type { WouldWrite } from '../../operate/offline/dry-run-table.ts';
import { type Drift, type Found, isRepairable } from '../../worker/verify/drift.ts';
import { creationLine, removalLine, updateLine } from '../output/lines.ts';
import type { Entry } from '../output/listing.ts';
import { styled } from '../output/terminal.ts';
import { keyAsJson, keyJson, valueText } from '../output/text.ts';
import { visible, word, words } from '../output/visible.ts';

/** A finding: keys, attribute names, and, if requested, values. */
export function findingEntry(found: Found, showValues: boolean): Entry {
  return { json: () => findingJson(found, showValues), text: () => findingLines(found, showValues) };
}

function findingLines({ drift, discrepancies }: Found, showValues: boolean): string[] {
  const { kind, rule, copy, root } = drift;
  const line = `${styled(isRepairable(drift) ? 'yellow' : 'red', kind.padEnd(13))} ${rule}  ${keyJson(copy)}${sentence(drift, root && keyJson(root))}`;
  if (!showValues) return [line];
  return [
    line,
    ...Object.entries(discrepancies).map(
      ([name, { is, wanted }]) =>
        `                ${word(name)}: is ${valueText(is)}, expected ${valueText(wanted)}`,
    ),
  ];
}

function sentence(
  { kind, attributes, unmapped, concerns, code, reason }: Drift,
  root: string | undefined,
): string {
  switch (kind) {
    case 'differs':
    case 'derived':
      return `  ${words(attributes)}${unmapped.length > 0 ? `; no rule names ${words(unmapped)}` : ''}`;
    case 'missing':
      return `  its root ${root} places it at this key, which is free`;
    case 'excluded':
      return `  when is false for its root ${root}`;
    case 'unlisted':
      return `  its root ${root} does not list its key`;
    case 'orphan':
      return `  its root ${root} does not exist`;
    case 'foreign':
      return `  its root ${root} places its copies elsewhere`;
    case 'invalid':
      return `  ${concerns === 'root' ? `its root ${root}: ` : ''}${code}: ${visible(reason ?? '')}`;
  }
}

/** A copy that was left alone, and why. */
export function leftAloneEntry({ rule, copy, root, code, reason }: LeftAlone): Entry {
  const which = copy ?? root;
  const rootsFault = copy && root && code.startsWith('root.') ? `its root ${keyJson(root)}: ` : '';
  return {
    json: () => ({
      leftAlone: code,
      rule,
      ...(copy && { copy: keyAsJson(copy) }),
      ...(root && { root: keyAsJson(root) }),
      reason,
    }),
    text: () =>
      `${styled('red', 'left alone')}    ${rule}  ${which === undefined ? '' : keyJson(which)}  ${rootsFault}${code}: ${visible(reason)}`,
  };
}

/** A write of a dry run with its condition: attribute names, never values. */
export function writeEntry(write: Parameters<WouldWrite>[0]): Entry {
  const key = keyAsJson(write.key);
  if ('set' in write)
    return {
      json: () => ({ wouldWrite: key, set: Object.keys(write.set), remove: write.remove }),
      text: () => updateLine(write),
    };
  if ('item' in write)
    return {
      json: () => ({ wouldCreate: key, set: Object.keys(write.item) }),
      text: () => creationLine(write),
    };
  const { clear } = write;
  return {
    json: () => (clear === undefined ? { wouldDelete: key } : { wouldWrite: key, set: [], remove: clear }),
    text: () => removalLine(write),
  };
}

/** @param showValues whether to include item content */
function findingJson({ drift, discrepancies }: Found, showValues: boolean): object {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
  return {
    finding: kind,
    rule,
    copy: keyAsJson(copy),
    ...(root && { root: keyAsJson(root) }),
    ...(attributes.length > 0 && { attributes }),
    ...(unmapped.length > 0 && { unmapped }),
    ...(concerns && { concerns }),
    ...(code !== undefined && { code, reason }),
    ...(showValues &&
      attributes.length > 0 && {
        // Lossless DynamoDB JSON. A missing attribute is left out on that side.
        is: itemToJson(sideOf(discrepancies, 'is')),
        wanted: itemToJson(sideOf(discrepancies, 'wanted')),
      }),
  };
}

function sideOf(discrepancies: Found['discrepancies'], side: 'is' | 'wanted'): Item {
  return Object.fromEntries(
    Object.entries(discrepancies).flatMap(([name, { [side]: value }]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
