import * as z from 'zod';
import { defineConfig } from '../../src/model/config.ts';
import { defineAggregate } from '../../src/model/define-aggregate.ts';
import { defineRule } from '../../src/model/define-rule.ts';
import { defineKind } from '../../src/model/kind.ts';
import { average, count } from '../../src/model/reducers.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { RemovalPolicy } from '../../src/model/rule.ts';
import { GSI3, table } from '../../src/table.ts';

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

const notesOfAuthor = defineAggregate({
  name: 'notes-of-author',
  of: note,
  on: author,
  reads: { member: ['AuthorId'] },
  members: { in: 'index', index: GSI3, of: note },
  targetsOf: ({ AuthorId }) => (AuthorId === undefined ? [] : [author.key({ author: AuthorId })]),
  computes: { Notes: count(), Stars: average('Rating', { digits: 2 }) },
});

/** Foreign keys: copies under other names, values of other types, copies that stop naming their root, means. */
export function notes(onUnlink: RemovalPolicy): Registry {
  const config = defineConfig({ table, rules: [authorOnNotes(onUnlink)], aggregates: [notesOfAuthor] });
  return config.registry();
}
