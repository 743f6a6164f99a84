import {
  aging,
  defineAggregate,
  defineArchive,
  defineKind,
  defineRule,
  list,
  max,
  predicate,
  value,
} from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { describe as described } from '../../src/explain/description.ts';
import { ByOwner } from '../fixtures/model/table.ts';

const event = defineKind({
  ...{ name: 'Event', type: 'Event', pk: 'EVENT#{event}', sk: 'EVENT' },
  attributes: z.object({ startsAt: z.string(), month: z.string(), label: z.string() }),
});
const visit = defineKind({
  ...{ name: 'Visit', type: 'Visit', pk: 'VISITS#{month}', sk: 'EVENT#{event}' },
  attributes: z.object({ month: z.string(), label: z.string() }),
});

const rule = defineRule({
  ...{ name: 'event-on-visit', root: event, copy: visit },
  reads: { root: ['startsAt'] },
  located: {
    in: 'key',
    at: ({ ids, startsAt }) => ({ pk: `VISITS#${startsAt.slice(0, 7)}`, sk: `EVENT#${ids.event}` }),
  },
  rootOf: ({ ids }) => event.key(ids),
  derive: {
    month: ({ root }) => root.startsAt.slice(0, 7),
    label: ({ root }) => `starts at ${root.startsAt}`,
  },
  ...{ onDelete: 'keep', onExpire: 'keep' },
});

describe('a rule in words', () => {
  test('shows what functions give as a pattern of whole attributes, or else their source', () => {
    expect(described(rule).fields).toMatchObject({
      derive: [expect.stringMatching(/^month: .*slice\(0, 7\)/), 'label: starts at {startsAt}'],
      located: [expect.stringMatching(/^in the key at .*slice\(0, 7\)/)],
      rootOf: ['EVENT#{event} / EVENT'],
    });
  });

  test('takes no counted number in an attribute’s name for a part of the pattern', () => {
    const counting = defineRule({
      ...{ name: 'event-on-visit', root: event, copy: visit, reads: { root: ['startsAt'] } },
      located: { in: 'key', at: ({ ids }) => ({ pk: 'VISITS#1', sk: `EVENT#${ids.event}` }) },
      rootOf: ({ ids }) => event.key(ids),
      derive: { label: ({ root }) => `${root.startsAt} ${root.startsAt.length}` },
      ...{ onDelete: 'keep', onExpire: 'keep' },
    });

    expect(described(counting).fields['derive']).toEqual([expect.stringMatching(/^label: \(\{ root \}\)/)]);
  });

  test('shows no pattern for a number that a function adds to', () => {
    const scored = defineKind({
      ...{ name: 'Scored', pk: 'SCORED#{scored}', sk: 'SCORED' },
      attributes: z.object({ score: z.number(), key: z.string() }),
    });
    const ranked = defineRule({
      ...{ name: 'score-on-events', root: scored, copy: event, reads: { root: ['score'], copy: ['label'] } },
      located: { in: 'key', at: ({ ids }) => event.key({ event: ids.scored }) },
      rootOf: ({ label }) => scored.key({ scored: label }),
      derive: { month: ({ root }) => `${root.score + 1e12}` },
      ...{ onDelete: 'keep', onExpire: 'keep' },
    });

    expect(described(ranked).fields).toMatchObject({
      derive: [expect.stringMatching(/^month: \(\{ root \}\)/)],
      rootOf: ['SCORED#{label} / SCORED'],
    });
  });

  test('leaves out what has no effect on an item that is its own copy', () => {
    const itself = defineRule({
      ...{ name: 'event-keys', root: event, copy: event, reads: { root: ['startsAt'] } },
      located: { in: 'itself' },
      when: { root: ({ startsAt }) => startsAt !== '' },
      derive: { month: ({ root }) => root.startsAt.slice(0, 7) },
      ...{ onDelete: 'clear', onExpire: 'keep' },
    });

    expect(described(itself).fields).toMatchObject({ onDelete: ['clear'] });
    for (const field of ['copy', 'rootOf', 'onExpire', 'onUnlink'])
      expect(described(itself).fields).not.toHaveProperty(field);
    expect(described({ ...itself, when: undefined }).fields).not.toHaveProperty('onDelete');
  });

  test.each([
    [{ last: 3 }, 'the last 3 in ByOwner at {event}'],
    [{ last: undefined, first: 1 }, 'the first 1 in ByOwner at {event}'],
  ])('says which members count at an end: %j', (end, text) => {
    const recent = defineAggregate({
      ...{ name: 'recent', of: visit, on: event },
      members: { in: 'index', index: ByOwner, at: ({ ids }) => ({ pk: ids.event }), ...end },
      targetsOf: ({ ids }) => [event.key(ids)],
      computes: { month: value('label'), label: list(['label', 'month']) },
    });

    expect(described(recent).fields).toMatchObject({
      members: [text],
      computes: ['month: value of label', 'label: list of label, month'],
    });
  });

  test('has each field of an aggregate and of an archive rule, as its author wrote it', () => {
    const visits = defineAggregate({
      ...{ name: 'visits-of-event', of: visit, on: event, reads: { member: ['label'] }, every: 60 },
      members: { in: 'index', index: ByOwner, at: ({ ids }) => ({ pk: ids.event, begins: 'VISIT#' }) },
      targetsOf: ({ ids }) => [event.key(ids)],
      computes: { month: max('month'), label: { from: () => 1, add: 'sum' } },
    });
    const archive = defineArchive({
      ...{ name: 'archive-events', kinds: [event] },
      when: [predicate(event, { reads: ['month'], item: ({ month }) => month !== '' })],
      ages: aging(event, {
        ...{ reads: [], when: () => true, since: () => 0, days: 9 },
        found: { in: 'index', index: ByOwner, pks: ['a', 'b'], until: () => 'z' },
      }),
    });
    const kinds = { event: 'Event (EVENT#{event} / EVENT), type Event' };

    expect(described(visits)).toEqual({
      ...{ rule: 'visits-of-event', type: 'aggregate' },
      fields: {
        of: ['Visit (VISITS#{month} / EVENT#{event}), type Visit'],
        on: [kinds.event],
        members: ['in ByOwner at {event} / VISIT#…'],
        targetsOf: ['EVENT#{event} / EVENT'],
        computes: ['month: max of month', 'label: sum of () => 1'],
        reads: ['member: label, month'],
        limit: ['10000'],
        every: ['60'],
        invalid: ['dead-letter'],
      },
    });
    expect(described(archive).fields).toEqual({
      kinds: [kinds.event],
      when: [expect.stringMatching(/reads: month; item: .*; kind: Event/)],
      onDelete: ['keep'],
      layout: ['object'],
      ages: [
        ...['when: () => true', 'since: () => 0', 'days: 9'],
        'found: in: index; index: ByOwner; pks: a, b; until: z',
        `kind: ${kinds.event}`,
      ],
    });
  });
});
