import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeadLetter, Message } from '../../src/model/work/message.ts';
import type { QueuePort } from '../../src/worker/ports.ts';

/** A queue with nothing in it, and a look at what comes out of it. */
export interface QueueUnderTest {
  readonly queue: QueuePort;
  /** What has arrived so far, after giving whatever is due the time to. */
  arrived(): Promise<readonly unknown[]>;
  /** Makes the delays pass that were asked for so far. */
  pass(seconds: number): Promise<void>;
  deadLettered(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** What every queue does. */
export function describeQueuePort(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`${name} as a queue`, () => {
    let under: QueueUnderTest;

    beforeEach(async () => {
      under = await open();
    });

    afterEach(async () => {
      await under.close();
    });

    test('delivers a message unchanged', async () => {
      const full: Message = {
        rule: 'username-on-memberships',
        root: { pk: 'USER#§/🦊', sk: '\u0000\u001f\ufffe\uffff' },
        cause: 'deleted',
        copies: [{ pk: 'a', sk: '..' }],
        locations: [{ in: 'index', index: 'GSI1', pk: 'USER#1', begins: 'ROOM#' }],
        cursor: { PK: 'a', SK: 'b' },
        recheck: true,
        attempts: 3,
      };
      await under.queue.send([full]);

      expect(await under.arrived()).toEqual([full]);
    });

    test('delivers all of many messages', async () => {
      const messages = Array.from({ length: 25 }, (_, index) => message(`USER#${index}`));
      await under.queue.send(messages);

      expectAll(await under.arrived(), messages);
    });

    test('delivers messages that fill a batch by their size', async () => {
      const messages = Array.from({ length: 7 }, (_, index) => message(`${index}${'é'.repeat(45_000)}`));
      await under.queue.send(messages);

      expectAll(await under.arrived(), messages);
    });

    test('sends and dead-letters nothing if no message is given', async () => {
      await under.queue.send([]);
      await under.queue.deadLetter([]);

      expect(await under.arrived()).toEqual([]);
      expect(await under.deadLettered()).toEqual([]);
    });

    test('delivers a delayed message when its delay is over, not before', async () => {
      await under.queue.send([message('USER#late')], 2);
      await under.queue.send([message('USER#early')]);

      expect(await under.arrived()).toEqual([message('USER#early')]);
      await under.pass(2);
      expectAll(await under.arrived(), [message('USER#early'), message('USER#late')]);
    });

    test('dead-letters a message with its reason, and does not deliver it', async () => {
      const deadLettered: DeadLetter[] = [
        { code: 'root.invalid', reason: 'Expected attribute State', message: message('ORDER#1') },
        { code: 'record.unreadable', reason: 'no keys \uffff', record: '12345' },
      ];
      await under.queue.deadLetter(deadLettered);

      expectAll(await under.deadLettered(), deadLettered);
      expect(await under.arrived()).toEqual([]);
    });
  });
}

export function message(pk: string): Message {
  return { rule: 'username-on-memberships', root: { pk, sk: 'METADATA' }, cause: 'changed', attempts: 0 };
}

/** SQS promises no order. */
function expectAll(things: readonly unknown[], expected: readonly unknown[]): void {
  expect(things).toHaveLength(expected.length);
  expect(things).toEqual(expect.arrayContaining([...expected]));
}
