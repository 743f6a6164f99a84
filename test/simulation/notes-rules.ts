import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import { defineAggregate } from '../../src/model/rules/define-aggregate.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { average, count } from '../../src/model/rules/reducers.ts';
import type { Registry } from '../../src/model/rules/registry.ts';
import type { RemovalPolicy } from '../../src/model/rules/rule.ts';
import { GSI2, GSI3, table } from '../../src/table.ts';

const author = defineKind({
  name: 'Author',
  type: 'Author',
  pk: 'AUTHOR#{author}',
  sk: 'PROFILE',
  attributes: z.object({
    Name: z.string(),
    Labels: z.set(z.string().min(1)).optional(),
    Level: z.int(),
    Notes: z.number(),
    Stars: z.number(),
    Best: z.number(),
    GSI2PK: z.string().optional(),
    GSI2SK: z.string().optional(),
  }),
});

/** A note names its author by a foreign key, which it may lose, and is indexed by it. */
const note = defineKind({
  name: 'Note',
  type: 'Note',
  pk: 'NOTE#{note}',
  sk: 'NOTE',
  attributes: z.object({
    AuthorId: z.string().min(1).optional(),
    AuthorName: z.string(),
    AuthorLabels: z.set(z.string().min(1)).optional(),
    AuthorCard: z.object({ name: z.string(), levels: z.array(z.int()) }),
    Rating: z.int().optional(),
  }),
  keys: { [GSI3.name]: { pk: 'AUTHOR#{AuthorId}', sk: 'NOTE#{note}' } },
});

/** What only goes with its author. */
const draft = defineKind({
  name: 'Draft',
  type: 'Draft',
  pk: 'AUTHOR#{author}',
  sk: 'DRAFT#{draft}',
  attributes: z.object({ Text: z.string() }),
});

const draftsGo = defineRule({
  name: 'drafts-go',
  root: author,
  copy: draft,
  located: { in: 'partition', at: ({ ids }) => ({ pk: draft.pk(ids), begins: 'DRAFT#' }) },
  rootOf: ({ ids }) => author.key({ author: ids.author }),
  copies: [],
  onDelete: 'delete',
  onExpire: 'delete',
});

/** Authors of some levels only are on this index. */
const authorLevelKeys = defineRule({
  name: 'author-level-keys',
  root: author,
  copy: author,
  reads: { root: ['Level'] },
  located: { in: 'itself' },
  when: { root: ({ Level }) => Level > 0 },
  derive: {
    [GSI2.pk]: ({ root }) => `LEVEL#${root.Level}`,
    [GSI2.sk]: ({ root }) => `AUTHOR#${root.ids.author}`,
  },
  onDelete: 'clear',
  onExpire: 'keep',
});

const authorOnNotes = (onUnlink: RemovalPolicy) =>
  defineRule({
    name: 'author-on-notes',
    root: author,
    copy: note,
    reads: { root: ['Name', 'Level'], copy: ['AuthorId'] },
    located: { in: 'index', index: GSI3, of: note },
    rootOf: ({ AuthorId }) => (AuthorId === undefined ? undefined : author.key({ author: AuthorId })),
    copies: { Name: 'AuthorName', Labels: 'AuthorLabels' },
    derive: { AuthorCard: ({ root }) => ({ name: root.Name, levels: [root.Level, root.Level + 1] }) },
    onDelete: 'clear',
    onExpire: 'delete',
    onUnlink,
  });

const notesOfAuthor = (invalid: 'dead-letter' | 'skip') =>
  defineAggregate({
    name: 'notes-of-author',
    of: note,
    on: author,
    invalid,
    reads: { member: ['AuthorId', 'Rating'] },
    members: { in: 'index', index: GSI3, of: note },
    targetsOf: ({ AuthorId }) => (AuthorId === undefined ? [] : [author.key({ author: AuthorId })]),
    computes: {
      Notes: count(),
      Stars: average('Rating', { digits: 2 }),
      Best: { from: ({ Rating }) => Rating, add: (one: number, other: number) => Math.max(one, other) },
    },
  });

/**
 * Foreign keys: copies under other names, values of other types, copies that stop naming their root, means. Also copies that only go
 * with their root, and an item that is its own copy while it has a level.
 */
export function notes(onUnlink: RemovalPolicy): Registry {
  return defineConfig({
    table,
    rules: [authorOnNotes(onUnlink), draftsGo, authorLevelKeys],
    aggregates: [notesOfAuthor(onUnlink === 'clear' ? 'skip' : 'dead-letter')],
  }).registry();
}
