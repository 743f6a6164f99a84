import * as z from 'zod';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { roles } from '../../model/errors.ts';
import type { Item } from '../../model/item.ts';
import type { LeftAlone } from '../../operate/drift/repair.ts';
import { type Drift, type DriftKind, driftKinds } from '../../worker/verify/drift.ts';
import type { Found } from '../../worker/verify/suspected-drift.ts';
import type { VerifyState } from '../../worker/verify/verify-state.ts';
import { styled, tableOf } from '../output/terminal.ts';
import { counted, keyAsJson, keyJson, keyOfJson, number, valueText } from '../output/text.ts';
import { visible, word, words } from '../output/visible.ts';

/** Maximum number of findings listed for each rule and kind. JSON output lists all of them. */
const maxListed = 10;

const colours: Readonly<Record<DriftKind, 'yellow' | 'red'>> = {
  differs: 'yellow',
  derived: 'yellow',
  missing: 'yellow',
  excluded: 'yellow',
  unlisted: 'yellow',
  orphan: 'red',
  foreign: 'red',
  invalid: 'red',
};

/** Formats a finding as text: keys, attribute names, and, if requested, values. */
export function findingLines({ drift, discrepancies }: Found, showValues: boolean): string[] {
  const { kind, rule, copy, root } = drift;
  const line = `${styled(colours[kind], kind.padEnd(13))} ${rule}  ${keyJson(copy)}${sentence(drift, root && keyJson(root))}`;
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

/** Prints findings as they are found, up to a limit for each rule and kind. */
export class FindingList {
  private readonly listed = new Map<string, number>();
  private readonly showValues: boolean;

  constructor(showValues: boolean) {
    this.showValues = showValues;
  }

  linesOf(found: Found): string[] {
    const of = `${found.drift.rule}  ${found.drift.kind}`;
    const before = this.listed.get(of) ?? 0;
    this.listed.set(of, before + 1);
    if (before < maxListed) return findingLines(found, this.showValues);
    return before === maxListed ? [styled('dim', `… more of ${of} are only counted; --json lists all`)] : [];
  }
}

/** Formats the reason why a copy was left alone as one line of text. */
export function leftAloneLine({ rule, copy, root, code, reason }: LeftAlone): string {
  const which = copy ?? root;
  const rootsFault = copy && root && code.startsWith('root.') ? `its root ${keyJson(root)}: ` : '';
  return `${styled('red', 'left alone')}    ${rule}  ${which === undefined ? '' : keyJson(which)}  ${rootsFault}${code}: ${visible(reason)}`;
}

/** A table of the findings by rule and kind. */
export function driftTable({ rules }: Pick<VerifyState, 'rules'>): string {
  const rows = Object.entries(rules).map(([rule, { copies, drift }]) => [
    rule,
    number(copies),
    ...driftKinds.map((kind) => (drift[kind] === 0 ? '' : number(drift[kind]))),
  ]);
  return tableOf(['rule', 'copies', ...driftKinds], rows);
}

/** Remarks about copies that are not drift, if there are any. */
export function remarks({ rules }: Pick<VerifyState, 'rules'>): string[] {
  return Object.entries(rules).flatMap(([rule, { kept, unfindable, unstable }]) => [
    ...(kept > 0
      ? [`${rule}: ${counted(kept, 'copy', 'copies')} that its policies keep, or may have kept`]
      : []),
    ...(unfindable > 0
      ? [
          `${rule}: ${counted(unfindable, 'copy', 'copies')} that no index contains, so no change reaches them`,
        ]
      : []),
    ...(unstable > 0
      ? [`${rule}: ${counted(unstable, 'copy', 'copies')} that changed at every check: verify again later`]
      : []),
  ]);
}

const keySchema = z.record(z.string(), z.string()).transform(keyOfJson);

/** One line of `verify --json`, which `repair --plan` reads. */
export const findingSchema = z
  .object({
    finding: z.enum(driftKinds),
    rule: z.string(),
    copy: keySchema,
    root: keySchema.optional(),
    attributes: z.array(z.string()).default([]),
    unmapped: z.array(z.string()).default([]),
    concerns: z.enum(roles).optional(),
    code: z.string().optional(),
    reason: z.string().optional(),
  })
  .transform(
    ({ finding, root, concerns, code, reason, ...drift }): Drift => ({
      ...drift,
      kind: finding,
      ...(root && { root }),
      ...(concerns && { concerns }),
      ...(code !== undefined && { code }),
      ...(reason !== undefined && { reason }),
    }),
  );

/**
 * Formats a finding as one line of JSON.
 * @param showValues whether to include item content
 */
export function findingJson({ drift, discrepancies }: Found, showValues: boolean): string {
  const { kind, rule, copy, root, attributes, unmapped, concerns, code, reason } = drift;
  return JSON.stringify({
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
  });
}

/** Formats a copy that was not repaired as one line of JSON. */
export function leftAloneJson({ rule, copy, root, code, reason }: LeftAlone): string {
  return JSON.stringify({
    leftAlone: code,
    rule,
    ...(copy && { copy: keyAsJson(copy) }),
    ...(root && { root: keyAsJson(root) }),
    reason,
  });
}

function sideOf(discrepancies: Found['discrepancies'], side: 'is' | 'wanted'): Item {
  return Object.fromEntries(
    Object.entries(discrepancies).flatMap(([name, { [side]: value }]) =>
      value === undefined ? [] : [[name, value] as const],
    ),
  );
}
