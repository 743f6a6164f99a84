import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeadLetter } from '../../src/model/work/message.ts';
import type {
  DeadLetterReader,
  FoundDeadLetter,
  LookOptions,
} from '../../src/operate/dead-letters/dead-letters.ts';
import { message } from './queue-port.suite.ts';

/** A dead-letter queue with nothing in it, and the ways in which dead letters come there. */
export interface DeadLettersUnderTest {
  /** A reader of its own, as a process of its own has it. */
  open(): DeadLetterReader;
  deadLetter(deadLettered: DeadLetter): Promise<void>;
  /** A message of the fan-out queue that failed on every delivery; its body may be anything. */
  bury(body: string): Promise<void>;
  close(): Promise<void>;
}

/** What every dead-letter queue does for those who read it. */
export function describeDeadLetterReader(name: string, make: () => Promise<DeadLettersUnderTest>): void {
  describe(`${name} as a readable dead-letter queue`, () => {
    let under: DeadLettersUnderTest;
    let reader: DeadLetterReader;

    beforeEach(async () => {
      under = await make();
      reader = under.open();
    });

    afterEach(async () => {
      await reader.close();
      await under.close();
    });

    test('shows dead-lettered messages, messages that failed for good, and unreadable ones', async () => {
      const asked = { ...message('USER#§/🦊\u001f'), attempts: 12 };
      const deadLettered: DeadLetter[] = [
        { code: 'root.invalid', reason: 'Expected State', message: message('ORDER#1') },
        { code: 'record.unreadable', reason: 'no keys', record: '123' },
      ];
      for (const thing of deadLettered) await under.deadLetter(thing);
      await under.bury(JSON.stringify(asked));
      await under.bury('{"not": "one of ours"');
      const before = Date.now();

      const { deadLetters, unseen } = await lookAt(reader);
      expect(unseen).toBe(0);
      expect(deadLetters.map(({ id: _, at: __, ...failure }) => failure)).toEqual(
        expect.arrayContaining([
          ...deadLettered,
          { code: 'message.failed', reason: expect.any(String), message: asked },
          { code: 'dead-letter.unreadable', reason: expect.any(String) },
        ]),
      );
      expect(deadLetters).toHaveLength(4);
      for (const { at } of deadLetters) expect(Math.abs(at - before)).toBeLessThan(60_000);
    });

    test('shows each of many dead letters once', async () => {
      for (let index = 0; index < 37; index += 1) await under.deadLetter(deadLettersOf(`ORDER#${index}`));
      const counts: number[] = [];

      const { deadLetters, unseen } = await lookAt(reader, {
        onProgress: (found) => counts.push(found),
      });
      expect(rootsOf(deadLetters)).toHaveLength(37);
      expect(new Set(rootsOf(deadLetters)).size).toBe(37);
      expect(unseen).toBe(0);
      expect(counts.at(-1)).toBe(37);
    });

    test('shows nothing if it is empty', async () => {
      expect(await lookAt(reader)).toEqual({ deadLetters: [], unseen: 0 });
    });

    test('shows every dead letter again with the same id once it is closed', async () => {
      for (let index = 0; index < 12; index += 1) await under.deadLetter(deadLettersOf(`ORDER#${index}`));
      const first = await lookAt(reader);
      expect(await reader.close()).toBe(0);
      const again = under.open();
      const second = await lookAt(again);
      await again.close();

      expect(idsOf(second.deadLetters)).toEqual(idsOf(first.deadLetters));
      expect(first.deadLetters).toHaveLength(12);
    });

    test('removes the given dead letters for good, and no others', async () => {
      for (let index = 0; index < 25; index += 1) await under.deadLetter(deadLettersOf(`ORDER#${index}`));
      const { deadLetters } = await lookAt(reader);
      const [kept, ...removed] = deadLetters;
      await reader.remove(removed);
      await reader.close();
      const again = under.open();

      expect((await lookAt(again)).deadLetters).toEqual([kept]);
      await again.close();
    });

    test('removes nothing if none is given', async () => {
      await under.deadLetter(deadLettersOf('ORDER#1'));
      await lookAt(reader);
      await reader.remove([]);
      await reader.close();
      const again = under.open();

      expect((await lookAt(again)).deadLetters).toHaveLength(1);
      await again.close();
    });
  });
}

export async function lookAt(reader: DeadLetterReader, options?: LookOptions) {
  const deadLetters: FoundDeadLetter[] = [];
  const unseen = await reader.look((one) => deadLetters.push(one), options);
  return { deadLetters, unseen };
}

export function deadLettersOf(pk: string): DeadLetter {
  return { code: 'root.invalid', reason: 'Expected State', message: message(pk) };
}

function rootsOf(deadLetters: readonly FoundDeadLetter[]): string[] {
  return deadLetters.flatMap(({ message: asked }) => asked?.root.pk ?? []);
}

function idsOf(deadLetters: readonly FoundDeadLetter[]): string[] {
  return deadLetters.map(({ id }) => id).sort();
}
