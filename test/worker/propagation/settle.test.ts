import { describe, expect, test } from 'vitest';
import { InvalidItemError } from '../../../src/model/basics/errors.ts';
import type { CopyLocation } from '../../../src/model/items/copy-location.ts';
import type { ItemKey } from '../../../src/model/items/item.ts';
import type { Aggregate } from '../../../src/model/rules/aggregate.ts';
import type { RemovalPolicy } from '../../../src/model/rules/rule.ts';
import type { WriteOutcome } from '../../../src/model/work/guarded-write.ts';
import type { Cause, Message } from '../../../src/model/work/message.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import { naming, needsRecheck, partsOf, unfinishedBy } from '../../../src/worker/propagation/settle.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { anIncident, anOrder, anOrderItem, aParticipation } from '../../fixtures/world/items.ts';
import { usernameOnMembershipsThat } from '../../fixtures/world/rules.ts';
import { justBefore, throttle } from '../../fixtures/world/table-faults.ts';
import { contenderTotals } from '../../fixtures/world/totals.ts';
import { about, keyIn, oneBatch } from '../../fixtures/world/worker.ts';
import { afterClosing, workerOver } from '../../fixtures/world/world.ts';

const [f, g] = [keyIn(aParticipation('f')), keyIn(aParticipation('g'))];
const closed = anIncident({ State: 'CLOSED' });

describe('a table that is throttled', () => {
  test.each<WriteOutcome>(['unavailable', 'throttled'])(
    'at one copy (%s): it alone comes again',
    async (answer) => {
      const worker = afterClosing(['f', 'g']);
      worker.port.answer = (key, outcome) => (key.sk === 'g' ? answer : outcome);

      await oneBatch(worker);

      expect(worker.queue.sent).toMatchObject([
        { message: { copies: [g], attempts: 0, unavailableSince: worker.time } },
      ]);
      expect(worker.telemetry.propagations).toMatchObject([{ written: 1, lost: 0, requeued: 1 }]);
    },
  );

  test('for longer than the limit: the work is dead-lettered', async () => {
    const worker = afterClosing(['g'], { maxUnavailableSeconds: 100 });
    throttle(worker, 'get');
    const unavailableSince = worker.time;

    await oneBatch(worker);

    expect(worker.telemetry.propagations).toMatchObject([{ requeued: 1, requeuedFor: 'aws.throttled' }]);
    expect(await worker.workOff(1000)).toEqual([1, 1, 2, 4, 8, 16, 32, 64]);
    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'unavailable.too-long',
        reason: 'Gave up: DynamoDB was not available for this for more than 100 seconds',
        message: {
          rule: 'incident-on-participations',
          root: keyIn(anIncident()),
          attempts: 0,
          unavailableSince,
        },
      },
    ]);
    expect(worker.telemetry.deadLetters).toEqual(worker.queue.deadLettered);
  });

  test('for two days: the work comes twice in each period of its alarm', async () => {
    const worker = afterClosing(['g']);
    throttle(worker, 'get');
    const { Period } = stack.Resources['FanOutUnavailableAlarm']?.Properties ?? {};

    await oneBatch(worker);
    const delays = await worker.workOff(49 * 3600);

    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThanOrEqual(48 * 3600);
    expect(2 * Math.max(...delays)).toBe(Period);
  });

  test('and a lost condition on one page are requeued separately', async () => {
    const worker = workerOver([closed, aParticipation('f'), aParticipation('g')], { rounds: 1 });
    worker.port.answer = (key) => (key.sk === 'g' ? 'unavailable' : 'lost');
    const limits = { attempts: 3, unavailableSince: worker.time - 5000 };
    const message = about('incident-on-participations', closed, { copies: [f, g], ...limits });

    await propagate(worker.context, message);

    expect(worker.queue.sent.map((sent) => sent.message)).toEqual([
      { ...message, locations: [], copies: [f], attempts: 4, unavailableSince: undefined },
      { ...message, locations: [], copies: [g] },
    ]);
    expect(worker.queue.sent.map(({ delaySeconds }) => delaySeconds)).toEqual([8, 5]);
  });
});

test('a copy that is dead-lettered is progress for the others of its page', async () => {
  const worker = workerOver([closed, aParticipation('f'), aParticipation('g')], { rounds: 1 });
  worker.port.answer = (key) => (key.sk === 'g' ? 'refused' : 'lost');

  await propagate(
    worker.context,
    about('incident-on-participations', closed, { copies: [f, g], attempts: 3 }),
  );

  expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.refused', message: { copies: [g] } }]);
  expect(worker.queue.sent).toMatchObject([{ message: { copies: [f], attempts: 1 } }]);
});

describe('a copy that something keeps overwriting', () => {
  test('is delayed longer after each delivery, and dead-lettered after the last', async () => {
    const worker = afterClosing(['g'], { maxAttempts: 12, rounds: 1 });
    let lead = 0;
    const overwrite = () => {
      lead += 1;
      worker.table.update(g, { set: { Lead: { S: `usurper ${lead}` } } });
    };
    justBefore(worker, 'update', overwrite, Number.POSITIVE_INFINITY);

    await oneBatch(worker);

    expect(await worker.workOff(86_400)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    expect(worker.queue.deadLettered).toMatchObject([
      {
        code: 'attempts.exceeded',
        reason: 'Gave up after 12 deliveries that did not advance',
        message: { rule: 'incident-on-participations', copies: [g], attempts: 12 },
      },
    ]);
    expect(worker.telemetry.deadLetters).toEqual(worker.queue.deadLettered);
  });

  test.each([
    ['counts as progress if others were updated', ['g'], { delaySeconds: 1, attempts: 1, copies: [g] }],
    ['does not if none was', ['f', 'g'], { delaySeconds: 32, attempts: 6, copies: [f, g] }],
  ])('%s', async (_, lost, { delaySeconds, ...message }) => {
    const worker = workerOver([closed, aParticipation('f'), aParticipation('g')], { rounds: 1 });
    worker.port.answer = ({ sk }, outcome) => (lost.includes(sk) ? 'lost' : outcome);

    await propagate(
      worker.context,
      about('incident-on-participations', closed, { copies: [f, g], attempts: 5 }),
    );

    expect(worker.queue.sent).toMatchObject([{ delaySeconds, message }]);
  });
});

describe('a copy that cannot be updated', () => {
  test('is dead-lettered alone if DynamoDB refuses the write', async () => {
    const worker = afterClosing(['f', 'g']);
    let lost = 1;
    worker.port.answer = (key, outcome) => (key.sk === 'g' ? 'refused' : lost-- > 0 ? 'lost' : outcome);

    await oneBatch(worker);

    const reason = 'DynamoDB refuses this write of this item, whenever it is tried';
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.refused', reason, message: { copies: [g] } },
    ]);
    expect(worker.queue.sent).toEqual([]);
  });

  test('is dead-lettered with its location, its root and the cause', async () => {
    const worker = workerOver([
      anOrder(),
      anOrderItem({ ProductId: undefined }),
      anOrderItem({ Sort: 'ITEM#2' }),
    ]);
    const orderItems = { in: 'partition', pk: 'ORDER#t', begins: 'ITEM#' } as const;
    const message = about('date-on-order-items', anOrder(), { locations: [orderItems] });

    const report = await propagate(worker.context, message);

    expect(report).toMatchObject({ deadLettered: 1, unchanged: 1 });
    expect(worker.queue.deadLettered).toMatchObject([
      { code: 'copy.invalid', message: { ...message, copies: [{ pk: 'ORDER#t', sk: 'ITEM#1' }] } },
    ]);
  });

  test('does not reveal its content', async () => {
    const worker = workerOver([
      anIncident(),
      aParticipation('g', { Note: `secret${'x'.repeat(300 * 1024)}` }),
    ]);
    worker.table.put(anIncident({ Log: `secret${'y'.repeat(150 * 1024)}`, State: undefined }));
    worker.table.put(anIncident({ Log: `secret${'y'.repeat(150 * 1024)}` }));

    await worker.rest();

    const { propagations, deadLetters } = worker.telemetry;
    expect(worker.queue.deadLettered.length).toBeGreaterThan(0);
    expect(JSON.stringify([worker.queue.deadLettered, propagations, deadLetters])).not.toContain('secret');
  });
});

describe('a root that cannot be projected', () => {
  test.each([
    [11, 'lost'],
    [12, 'dead-letter'],
  ])('while a rule may put it right, is tried up to the last attempt: %i, %s', (attempts, is) => {
    const attribute = { isMissing: false, kind: 'Order', name: 'StatePart' };
    const error = new InvalidItemError('root', 'root.invalid', 'why', { attribute });
    const message = about('order-on-user-order', anOrder(), { attempts });

    expect(unfinishedBy(error, message, workerOver([]).context)).toMatchObject({
      is,
      message,
      code: error.code,
    });
  });

  test.each(['deleted', 'expired'] as const)(
    'if it was removed (%s), is dead-lettered: nothing locates its copies',
    async (cause) => {
      const worker = workerOver([]);

      await propagate(worker.context, about('incident-on-participations', anIncident(), { cause }));

      expect(worker.queue.deadLettered).toMatchObject([
        {
          code: 'root.unlocatable',
          reason:
            'Rule incident-on-participations cannot locate the copies of this removed root: its last image lacks what located.at reads, or leads to a key that DynamoDB rejects',
          message: { cause },
        },
      ]);
    },
  );
});

/** SQS takes 1 MiB, as one message or as ten. */
const tenth = 1_048_576 / 10;

function messageOf(more: Partial<Message>): Message {
  return { rule: 'r', root: { pk: 'root', sk: 'root' }, cause: 'expired', attempts: 0, ...more };
}

function longKeys(count: number) {
  return Array.from({ length: count }, (_, tag) => ({ pk: String(tag), sk: 'x'.repeat(3000) }));
}

function sizes(parts: readonly Message[]): number[] {
  return parts.map((part) => Buffer.byteLength(JSON.stringify(part)));
}

const partition = { in: 'partition', pk: 'P' } as const;

describe('the parts of a message', () => {
  test('that names many copies are alike in size, and list what they name', () => {
    const copies = longKeys(120);

    const parts = partsOf(messageOf({ copies, locations: [partition, { in: 'keys', keys: copies }] }));

    expect(parts.map((part) => part.copies?.length)).toEqual(Array(8).fill(15));
    expect(parts.flatMap((part) => part.copies)).toEqual(copies);
    for (const part of parts) expect(part.locations).toEqual([partition, { in: 'keys', keys: part.copies }]);
    expect(Math.max(...sizes(parts))).toBeLessThan(tenth);
  });

  test('with one key that many locations list name it once', () => {
    const copies = longKeys(2);
    const [first, second] = copies;
    if (first === undefined || second === undefined) throw new Error('Expected two keys');
    const left = Array.from({ length: 40 }, () => ({ in: 'keys' as const, keys: copies }));

    const parts = partsOf(messageOf({ locations: [...left, { in: 'keys', keys: [second] }] }));

    expect(parts).toEqual([
      messageOf({
        copies: [first],
        locations: [
          { in: 'keys', keys: [first] },
          { in: 'keys', keys: [] },
        ],
      }),
      messageOf({ copies: [second], locations: [{ in: 'keys', keys: [second] }] }),
    ]);
  });

  test('with many partitions share them, each with that of the root', () => {
    const left = Array.from({ length: 60 }, (_, index): CopyLocation => {
      return { in: 'partition', pk: `${index}${'x'.repeat(3000)}` };
    });

    const parts = partsOf(
      messageOf({ locations: [...left, partition], at: 7, cursor: { pk: 'a', sk: 'b' } }),
    );

    expect(parts.map(({ at, cursor }) => [at, cursor])).toEqual(Array(2).fill([undefined, undefined]));
    expect(parts.map(({ locations }) => locations?.at(-1))).toEqual([partition, partition]);
    expect(parts.flatMap(({ locations = [] }) => locations.slice(0, -1))).toEqual(left);
    expect(Math.max(...sizes(parts))).toBeLessThan(tenth);
  });

  test.each<[string, Partial<Message>]>([
    ['one copy', { copies: longKeys(1) }],
    ['keys that some locations list', {}],
  ])('with many partitions and %s share the partitions alone', (_, more) => {
    const keys: CopyLocation = { in: 'keys', keys: longKeys(1) };
    const left = ['a', 'b'].map((pk): CopyLocation => ({ in: 'partition', pk: pk.repeat(50_000) }));

    const parts = partsOf(messageOf({ ...more, locations: [keys, ...left, partition] }));

    expect(parts.map(({ copies }) => copies)).toEqual([more.copies, more.copies]);
  });

  test('are one up to 100,000 bytes', () => {
    const copies = ['a', 'b'].map((pk) => ({ pk, sk: 's' }));
    const short = messageOf({ copies, rule: '' });
    const exact = { ...short, rule: 'r'.repeat(100_000 - JSON.stringify(short).length) };

    expect(partsOf(exact)).toEqual([exact]);
  });
});

test('a message that names copies leaves out the keys of others', () => {
  const [first, second] = [
    { pk: 'a', sk: 'a' },
    { pk: 'b', sk: 'b' },
  ];
  const at = { at: 1, cursor: { pk: 'P', sk: 'a' } };

  expect(
    naming(
      messageOf({
        ...at,
        locations: [
          { in: 'key', ...first },
          { in: 'key', ...second },
        ],
      }),
      [first],
    ),
  ).toEqual(
    messageOf({
      copies: [first],
      locations: [
        { in: 'key', ...first },
        { in: 'key', ...second },
      ],
    }),
  );
  expect(naming(messageOf({ locations: [{ in: 'keys', keys: [second] }, partition] }), [first])).toEqual(
    messageOf({ copies: [first], locations: [partition] }),
  );
});

describe('a propagation that has come to its end is rechecked', () => {
  const index: CopyLocation = { in: 'index', index: 'ByOwner', pk: 'USER#1' };
  const own: CopyLocation = { in: 'partition', pk: 'P' };
  const keys: CopyLocation = { in: 'keys', keys: [f, g] };
  const [none, one, moved] = [[own], [index], [own, { ...own, pk: 'Q' }]];

  /** Of every cause, by where the copies are and what `onDelete` and `onExpire` say: whether there is a recheck. */
  const rechecked: Record<
    Cause,
    readonly (readonly [CopyLocation[], RemovalPolicy, RemovalPolicy, boolean])[]
  > = {
    changed: [
      [none, 'clear', 'clear', false],
      [one, 'keep', 'keep', true],
      [moved, 'clear', 'keep', true],
      [moved, 'delete', 'clear', false],
    ],
    deleted: [
      [none, 'clear', 'keep', true],
      [none, 'delete', 'clear', false],
      [one, 'delete', 'keep', true],
    ],
    expired: [
      [none, 'keep', 'clear', true],
      [none, 'clear', 'delete', false],
      [one, 'keep', 'delete', true],
    ],
    // It names its copies, as below.
    check: [],
    repair: [
      [one, 'clear', 'clear', false],
      [moved, 'clear', 'clear', false],
    ],
  };
  const cases = (Object.keys(rechecked) as Cause[]).flatMap((cause) =>
    rechecked[cause].map((row) => [cause, ...row] as const),
  );

  test.each(cases)('%s, at %j, onDelete %s, onExpire %s: %s', (cause, locations, onDelete, onExpire, is) => {
    const rule = bound(usernameOnMembershipsThat(onDelete, onExpire));
    const message = messageOf({ cause, locations });

    expect(needsRecheck(rule, message, [])).toBe(is);
    expect(needsRecheck(rule, { ...message, recheck: true }, [])).toBe(false);
    expect(needsRecheck(rule, message, [{ is: 'rest', message }])).toBe(false);
  });

  test('not by a message that names copies, unless its locations list them', () => {
    const rule = bound(usernameOnMembershipsThat('clear', 'keep'));
    const asked = (copies: Message['copies'], locations: CopyLocation[]) =>
      needsRecheck(rule, messageOf({ cause: 'deleted', ...(copies && { copies }), locations }), []);

    expect([asked([f], [own]), asked([f], [keys]), asked(undefined, [keys])]).toEqual([false, true, true]);
  });

  test('not while every key of its list is unfinished: there is nothing to look at again', () => {
    const rule = bound(usernameOnMembershipsThat('clear', 'keep'));
    const message = messageOf({ cause: 'deleted', locations: [keys] });
    const unfinished = (...copies: ItemKey[]) => [{ is: 'lost', message: { ...message, copies } } as const];

    expect(needsRecheck(rule, message, unfinished(f, g))).toBe(false);
    expect(needsRecheck(rule, message, unfinished(f))).toBe(true);
  });

  const ofPartition = { ...contenderTotals, members: contenderTotals.members.slice(0, 1) };
  test.each<[string, Partial<Message>, boolean, Aggregate?]>([
    ['if it has members in an index, which may lag', {}, true],
    ['not if it has none in an index', {}, false, ofPartition],
    ['not of named members', { copies: [f] }, false],
    ['not by its check', { cause: 'check' }, false],
  ])('of a target: %s', (_, more, is, aggregate = contenderTotals) => {
    expect(needsRecheck(bound(aggregate), messageOf({ cause: 'changed', ...more }), [])).toBe(is);
  });
});
