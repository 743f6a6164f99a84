import * as z from 'zod';
import { type ArchiveLayout, type DeletionPolicy, defineArchive } from '../../src/model/archive-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { table } from '../fixtures/model/table.ts';

const attributes = z.object({});

/** A kind for each way in which items are archived. */
export const ways = [
  way('Mooring', 'object', 'keep'),
  way('Passage', 'object', 'erase'),
  way('Charter', 'object', 'archive'),
  way('Sounding', 'batch', 'keep'),
  way('Toll', 'batch', 'archive'),
] as const;

/** How items of one kind are archived, and what becomes of them when a user deletes one. */
export type Way = ReturnType<typeof way>;

function way<Name extends string>(name: Name, layout: ArchiveLayout, onDelete: DeletionPolicy) {
  const kind = defineKind({ name, pk: `${name}#{quay}`, sk: '{ship}', attributes });
  const rule = defineArchive({
    name: `archive-${name.toLowerCase()}s`,
    kinds: [kind],
    layout,
    onDelete,
    storageClass: 'STANDARD',
  });
  return { kind, rule, layout, onDelete };
}

export const registryOfMoorings = makeRegistry(
  table,
  [],
  ways.map(({ rule }) => rule),
);
