import { defineKind } from 'stream-denormalizer';
import * as z from 'zod';

/** A root: its name is written here, and copied to every member. Overwrite it with an item of yours. */
export const team = defineKind({
  name: 'Team',
  type: 'Team',
  pk: 'TEAM#{team}',
  sk: '0',
  attributes: z.object({ teamName: z.string() }),
});

/** A copy: it holds its team's name. Its sort key is the second in which the member joined. */
export const member = defineKind({
  name: 'Member',
  type: 'Member',
  pk: 'TEAM#{team}',
  sk: '{joined:number}',
  attributes: z.object({ teamName: z.string(), memberName: z.string() }),
});
