import { defineKind } from 'stream-denormalizer';
import * as z from 'zod/mini';
import { GSI1 } from '../table.ts';

/** Epoch seconds within the range of a JavaScript date. Source: ECMAScript, "Time Values and Time Range". */
const instant = z.number().check(z.gte(-8_640_000_000_000), z.lte(8_640_000_000_000));

/** The root. It has more attributes than are listed here, and no type attribute. */
export const incident = defineKind({
  name: 'Incident',
  pk: 'acct_{account}#inc',
  sk: 'inc_{incident}',
  attributes: z.object({
    ID: z.string(),
    Title: z.string(),
    Status: z.string(),
    State: z.string().check(z.minLength(1)),
    Number: z.number(),
    CreatedAt: instant,
    UpdatedAt: z.number(),
  }),
  examples: [
    { State: 'OPEN', CreatedAt: 1_767_225_600 },
    { State: 'CLOSED', CreatedAt: 1_614_194_921 },
  ],
});

/** Up to 300 KB of details. It is on no index and is never copied. */
export const incidentData = defineKind({
  name: 'IncidentData',
  pk: 'acct_{account}#inc_{incident}',
  sk: 'data',
  attributes: z.object({
    AccountID: z.string(),
    IncidentID: z.string(),
    CreatedAt: z.number(),
    UpdatedAt: z.number(),
  }),
});

/** A copy of an incident for a team or a user. */
export const participation = defineKind({
  name: 'Participation',
  pk: 'acct_{account}#inc_{incident}#incpart',
  sk: '{participant}',
  attributes: z.extend(incident.attributes, {
    ParticipantID: z.string(),
    [GSI1.pk]: z.string(),
    [GSI1.sk]: z.string(),
  }),
});
