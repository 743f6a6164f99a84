import { defineConfig, defineKind, defineRule, type TableNames } from 'stream-denormalizer';
import * as z from 'zod';

const table = {
  pk: 'id',
  sk: { name: 'number', type: 'N' },
  indexes: { bySpeaker: { name: 'by-speaker', pk: 'speaker' } },
  ttl: 'expires',
  type: '_et',
} as const satisfies TableNames;

const person = defineKind({
  name: 'Person',
  type: 'Person',
  pk: 'PERSON#{person}',
  sk: '0',
  attributes: z.object({ name: z.string() }),
});

const talk = defineKind({
  name: 'Talk',
  type: 'Talk',
  pk: 'EVENT#{event}',
  sk: '{talk:number}',
  attributes: z.object({
    ...{ speaker: z.string(), speakerName: z.string().optional(), guests: z.array(z.string().min(1)) },
    ...{ _ct: z.string(), _md: z.string() },
  }),
});

const speakerOnTalks = defineRule({
  name: 'speaker-on-talks',
  root: person,
  copy: talk,
  reads: { copy: ['speaker'] },
  located: { in: 'index', index: table.indexes.bySpeaker, at: ({ ids }) => ({ pk: person.pk(ids) }) },
  rootOf: ({ speaker }) => ({ pk: speaker, sk: '0' }),
  copies: { name: 'speakerName' },
  onDelete: 'keep',
  onExpire: 'keep',
});

const visit = defineKind({
  name: 'Visit',
  type: 'Visit',
  pk: 'GUEST#{guest}#{event}',
  sk: '{talk:number}',
  attributes: z.object({ speakerName: z.string().optional(), _ct: z.string(), _md: z.string() }),
});

const visitsOfTalk = defineRule({
  name: 'visits-of-talk',
  root: talk,
  copy: visit,
  reads: { root: ['guests'] },
  located: { in: 'keys', at: ({ ids, guests }) => guests.map((guest) => visit.key({ ...ids, guest })) },
  rootOf: ({ ids }) => talk.key(ids),
  creates: true,
  copies: ['speakerName', '_ct', '_md'],
  onDelete: 'delete',
  onExpire: 'delete',
});

export default defineConfig({ table, rules: [speakerOnTalks, visitsOfTalk] });
