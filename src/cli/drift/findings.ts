import * as z from 'zod';
import { type Drift, type DriftKind, driftKinds } from '../../drift/drift.ts';
import type { LeftAlone } from '../../drift/repair.ts';
import type { Found } from '../../drift/suspected-drift.ts';
import type { VerifyState } from '../../drift/verify-state.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { table } from '../../table.ts';
import { styled, tableOf } from '../output/terminal.ts';
import { counted, keyAsJson, keyJson, number, valueText } from '../output/text.ts';

/** Of one rule and kind, no more than this are listed for people; machines get them all. */
const maxListed = 10;

const colours: Readonly<Record<DriftKind, 'yellow' | 'red'>> = {
  differs: 'yellow',
  derived: 'yellow',
  orphan: 'red',
  foreign: 'red',
  invalid: 'red',
};

/** One finding in a line: keys, attribute names, and values where they are asked for. */
export function findingLines({ drift, discrepancies }: Found, showValues: boolean): string[] {
  const { kind, rule, copy, root } = drift;
  const line = `${styled(colours[kind], kind.padEnd(13))} ${rule}  ${keyJson(copy)}${sentence(drift, root && keyJson(root))}`;
  if (!showValues) return [line];
  return [
    line,
    ...Object.entries(discrepancies).map(
      ([name, { is, wanted }]) =>
        `                ${name}: is ${valueText(is)}, expected ${valueText(wanted)}`,
    ),
  ];
}

function sentence({ kind, attributes, unmapped, code, reason }: Drift, root: string | undefined): string {
  switch (kind) {
    case 'differs':
    case 'derived':
      return `  ${attributes.join(', ')}${unmapped.length > 0 ? `; no rule names ${unmapped.join(', ')}` : ''}`;
    case 'orphan':
      return `  its root ${root} does not exist`;
    case 'foreign':
      return `  its root ${root} places its copies elsewhere`;
    case 'invalid':
      return `  ${code}: ${reason}`;
  }
}

/** Lists findings as they come, the first of each rule and kind. */
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

/** Why a copy was left alone, in a line. */
export function leftAloneLine({ rule, copy, root, code, reason }: LeftAlone): string {
  const which = copy ?? root;
  return `${styled('red', 'left alone')}    ${rule}  ${which === undefined ? '' : keyJson(which)}  ${code}: ${reason}`;
}

/** What was found, by rule and kind. */
export function driftTable({ rules }: Pick<VerifyState, 'rules'>): string {
  const rows = Object.entries(rules).map(([rule, { copies, drift }]) => [
    rule,
    number(copies),
    ...driftKinds.map((kind) => (drift[kind] === 0 ? '' : number(drift[kind]))),
  ]);
  return tableOf(['rule', 'copies', ...driftKinds], rows);
}

/** What was seen and is no drift, where there is any. */
export function remarks({ rules }: Pick<VerifyState, 'rules'>): string[] {
  return Object.entries(rules).flatMap(([rule, { kept, unfindable, unstable }]) => [
    ...(kept > 0 ? [`${rule}: ${counted(kept, 'orphan')} that its policies keep, or may have kept`] : []),
    ...(unfindable > 0
      ? [`${rule}: ${number(unfindable)} copies that no index contains, so no change reaches them`]
      : []),
    ...(unstable > 0
      ? [`${rule}: ${number(unstable)} copies that changed at every check: verify again later`]
      : []),
  ]);
}

const keySchema = z
  .record(z.string(), z.string())
  .transform((key): ItemKey => ({ pk: key[table.pk] ?? '', sk: key[table.sk] ?? '' }));

/** One line of `verify --json`, as `repair --plan` reads it. */
export const findingSchema = z
  .object({
    finding: z.enum(driftKinds),
    rule: z.string(),
    copy: keySchema,
    root: keySchema.optional(),
    attributes: z.array(z.string()).default([]),
    unmapped: z.array(z.string()).default([]),
    code: z.string().optional(),
    reason: z.string().optional(),
  })
  .transform(
    ({ finding, root, code, reason, ...drift }): Drift => ({
      ...drift,
      kind: finding,
      ...(root && { root }),
      ...(code !== undefined && { code }),
      ...(reason !== undefined && { reason }),
    }),
  );

/** One finding as a line of JSON. @param showValues whether item content may stand in it */
export function findingJson({ drift, discrepancies }: Found, showValues: boolean): string {
  const { kind, rule, copy, root, attributes, unmapped, code, reason } = drift;
  return JSON.stringify({
    finding: kind,
    rule,
    copy: keyAsJson(copy),
    ...(root && { root: keyAsJson(root) }),
    ...(attributes.length > 0 && { attributes }),
    ...(unmapped.length > 0 && { unmapped }),
    ...(code !== undefined && { code, reason }),
    ...(showValues &&
      attributes.length > 0 && {
        // DynamoDB JSON, lossless; what is missing stands in neither.
        is: itemToJson(sideOf(discrepancies, 'is')),
        wanted: itemToJson(sideOf(discrepancies, 'wanted')),
      }),
  });
}

/** A copy that was not repaired, as a line of JSON. */
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
