import * as z from 'zod';
import { defineKind } from '../../src/model/kinds/define-kind.ts';
import { defineRule } from '../../src/model/rules/define-rule.ts';
import { GSI2 } from '../../src/table.ts';

const attributes = z.object({
  Name: z.string(),
  Shelf: z.enum(['low', 'high']),
  Closed: z.boolean().optional(),
});

/** A board: two of them may have keys that read the same when joined. */
const board = defineKind({ name: 'Board', type: 'Board', pk: 'B{org}', sk: '{board}', attributes });

/** A board pinned somewhere: a copy that says which shelf it is on and which board it shows. */
export const pin = defineKind({
  name: 'Pin',
  type: 'Pin',
  pk: 'PIN{org}',
  sk: '{pin}',
  attributes: attributes.extend({ Board: z.string().min(1), BoardOrg: z.string().min(1), Note: z.string() }),
  // Now and then a pin names a board of another tenant: nothing may come of that.
  examples: ['A', 'AA', 'AAA'].map((id) => ({ Board: id, BoardOrg: id })),
});

/**
 * What the rules of the repository leave out: an index by which copies are placed and moved, all attributes
 * copied while the unknown stay, `clear` on deletion, a tenant that a copy can cross, roots that the rule does not apply to.
 */
export const boardOnPins = defineRule({
  name: 'board-on-pins',
  root: board,
  copy: pin,
  reads: { root: ['Shelf', 'Closed'], copy: ['Board', 'BoardOrg'] },
  located: { in: 'index', index: GSI2, at: ({ Shelf }) => ({ pk: `SHELF#${Shelf}`, begins: 'PIN#' }) },
  when: { root: ({ Closed }) => Closed !== true },
  rootOf: ({ Board, BoardOrg }) => board.key({ org: BoardOrg, board: Board }),
  copies: 'all',
  own: ['Board', 'BoardOrg', 'Note'],
  tenant: 'org',
  onDelete: 'clear',
  onExpire: 'delete',
});
