import * as z from 'zod';
import {
  type ArchiveLayout,
  type ArchiveRule,
  type DeletionPolicy,
  defineArchive,
} from '../../src/model/archive-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { table } from '../fixtures/model/table.ts';

const attributes = z.object({});

/** A kind for each way in which items are archived. */
const ways = [
  way('Mooring', 'object', 'keep'),
  way('Passage', 'object', 'erase'),
  way('Charter', 'object', 'archive'),
  way('Sounding', 'batch', 'keep'),
  way('Toll', 'batch', 'archive'),
] as const;

function way(name: string, layout: ArchiveLayout, onDelete: DeletionPolicy): ArchiveRule {
  const kind = defineKind({ name, pk: `${name}#{quay}`, sk: '{ship}', attributes });
  return defineArchive({
    name: `archive-${name.toLowerCase()}s`,
    kinds: [kind],
    layout,
    onDelete,
    storageClass: 'STANDARD',
  });
}

export const registryOfMoorings = makeRegistry(table, [], ways);
