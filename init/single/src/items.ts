import { defineKind } from 'stream-denormalizer';
import * as z from 'zod';

/** A root: its name is written here, and copied to every member. Overwrite it with an item of yours. */
export const team = defineKind({
  name: 'Team',
  type: 'Team',
  pk: 'TEAM#{team}',
  attributes: z.object({ teamName: z.string() }),
});

/** A copy: it holds its team's name. The index by-team finds it by `teamId`. */
export const member = defineKind({
  name: 'Member',
  type: 'Member',
  pk: 'MEMBER#{member}',
  attributes: z.object({ teamId: z.string(), teamName: z.string(), memberName: z.string() }),
});
