import { defineKind, defineRule } from 'stream-denormalizer';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { describe as described } from '../../../src/cli/rules/description.ts';

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

  test('takes no number that a function counts in an attribute’s name for a part of the pattern', () => {
    const counting = defineRule({
      ...{ name: 'event-on-visit', root: event, copy: visit, reads: { root: ['startsAt'] } },
      located: { in: 'key', at: ({ ids }) => ({ pk: 'VISITS#1', sk: `EVENT#${ids.event}` }) },
      rootOf: ({ ids }) => event.key(ids),
      derive: { label: ({ root }) => `${root.startsAt} ${root.startsAt.length}` },
      ...{ onDelete: 'keep', onExpire: 'keep' },
    });

    expect(described(counting).fields['derive']).toEqual([expect.stringMatching(/^label: \(\{ root \}\)/)]);
  });

  test('shows no pattern for a number that a function adds to, and the root that a copy names', () => {
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
    for (const field of ['copy', 'rootOf', 'onExpire'])
      expect(described(itself).fields).not.toHaveProperty(field);
    expect(described({ ...itself, when: undefined }).fields).not.toHaveProperty('onDelete');
  });
});
