import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundLetter } from '../../src/dead-letters/dead-letter.ts';
import type { Parked } from '../../src/model/message.ts';
import type { DeadLetterReader } from '../../src/dead-letters/dead-letter-reader.ts';
import { message } from './queue-port.suite.ts';

/** A dead-letter queue with nothing in it, and the ways in which letters come there. */
export interface LettersUnderTest {
  /** A reader of its own, as a process of its own has it. */
  open(): DeadLetterReader;
  park(parked: Parked): Promise<void>;
  /** A message of the fan-out queue that failed on every delivery; its body may be anything. */
  bury(body: string): Promise<void>;
  close(): Promise<void>;
}

/** What every dead-letter queue does for those who read it. */
export function describeDeadLetterReader(name: string, make: () => Promise<LettersUnderTest>): void {
  describe(`${name} as dead letters to read`, () => {
    let under: LettersUnderTest;
    let reader: DeadLetterReader;

    beforeEach(async () => {
      under = await make();
      reader = under.open();
    });

    afterEach(async () => {
      await reader.close();
      await under.close();
    });

    test('shows what was parked, what failed for good, and what cannot be read', async () => {
      const asked = { ...message('USER#§/🦊\u001f'), hops: 12 };
      const parked: Parked[] = [
        { code: 'root.unprojectable', reason: 'Expected State', message: message('ORDER#1') },
        { code: 'record.unreadable', reason: 'no keys', record: '123' },
      ];
      for (const thing of parked) await under.park(thing);
      await under.bury(JSON.stringify(asked));
      await under.bury('{"not": "one of ours"');
      const before = Date.now();

      const { letters, unseen } = await reader.look();
      expect(unseen).toBe(0);
      expect(letters.map(({ content }) => content)).toEqual(
        expect.arrayContaining([
          ...parked.map((thing) => ({ is: 'parked', parked: thing })),
          { is: 'message', message: asked },
          { is: 'unreadable' },
        ]),
      );
      expect(letters).toHaveLength(4);
      for (const { at } of letters) expect(Math.abs(at - before)).toBeLessThan(60_000);
    });

    test('shows each of many letters once', async () => {
      for (let index = 0; index < 37; index += 1) await under.park(parkedOf(`ORDER#${index}`));
      const counts: number[] = [];

      const { letters, unseen } = await reader.look({ onFound: (found) => counts.push(found) });
      expect(rootsOf(letters)).toHaveLength(37);
      expect(new Set(rootsOf(letters)).size).toBe(37);
      expect(unseen).toBe(0);
      expect(counts.at(-1)).toBe(37);
    });

    test('shows nothing where nothing is', async () => {
      expect(await reader.look()).toEqual({ letters: [], unseen: 0 });
    });

    test('calls a letter the same at each look, and shows all of them again once it is closed', async () => {
      for (let index = 0; index < 12; index += 1) await under.park(parkedOf(`ORDER#${index}`));
      const first = await reader.look();
      expect(await reader.close()).toBe(0);
      const again = under.open();
      const second = await again.look();
      await again.close();

      expect(idsOf(second.letters)).toEqual(idsOf(first.letters));
      expect(first.letters).toHaveLength(12);
    });

    test('removes what it is told to, for good, and nothing else', async () => {
      for (let index = 0; index < 25; index += 1) await under.park(parkedOf(`ORDER#${index}`));
      const { letters } = await reader.look();
      const [kept, ...removed] = letters;
      await reader.remove(removed);
      await reader.close();
      const again = under.open();

      expect((await again.look()).letters).toEqual([kept]);
      await again.close();
    });

    test('removes nothing where nothing is to be removed', async () => {
      await under.park(parkedOf('ORDER#1'));
      await reader.look();
      await reader.remove([]);
      await reader.close();
      const again = under.open();

      expect((await again.look()).letters).toHaveLength(1);
      await again.close();
    });
  });
}

export function parkedOf(pk: string): Parked {
  return { code: 'root.unprojectable', reason: 'Expected State', message: message(pk) };
}

function rootsOf(letters: readonly FoundLetter[]): string[] {
  return letters.flatMap(({ content }) =>
    content.is === 'parked' ? (content.parked.message?.root.pk ?? []) : [],
  );
}

function idsOf(letters: readonly FoundLetter[]): string[] {
  return letters.map(({ id }) => id).sort();
}
