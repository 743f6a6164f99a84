import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineArchive, predicate } from '../../src/model/rules/archive-rule.ts';

/** Something that expires soon, and that its owner may want forgotten before. */
const secret = defineKind({
  name: 'Secret',
  pk: 'SECRET#{owner}',
  sk: '{name}',
  attributes: z.object({ Value: z.string() }),
});

/** Something of which there are many, and that stands with others in one object. */
const receipt = defineKind({
  name: 'Receipt',
  pk: 'RECEIPT#{owner}',
  sk: '{name}',
  attributes: z.object({ Value: z.string() }),
});

/** Something that is archived only while it is meant to last. */
const note = defineKind({
  name: 'Note',
  pk: 'NOTE#{owner}',
  sk: '{name}',
  attributes: z.object({ Value: z.string(), Draft: z.boolean() }),
});

/** What the archive rules of the applications leave out: deletions that erase, batches, `when`. */
export const archivesOfVault = [
  defineArchive({ name: 'archive-secrets', kinds: [secret], onDelete: 'erase' }),
  defineArchive({ name: 'archive-receipts', kinds: [receipt], layout: 'batch' }),
  defineArchive({
    name: 'archive-notes',
    kinds: [note],
    when: [predicate(note, { reads: ['Draft'], item: ({ Draft }) => !Draft })],
  }),
];
