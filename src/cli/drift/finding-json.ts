import * as z from 'zod';
import { type Drift, driftKinds } from '../../drift/drift.ts';
import type { LeftAlone } from '../../drift/repair.ts';
import type { Found } from '../../drift/suspected-drift.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import { table } from '../../table.ts';

/** A key as JSON lines spell it: by the names of the table's keys, as an item does. */
export function keyAsJson({ pk, sk }: ItemKey): Record<string, string> {
  return { [table.pk]: pk, [table.sk]: sk };
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
