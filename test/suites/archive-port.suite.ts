import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sequenceDigits } from '../../src/model/change.ts';
import type { ArchivePort } from '../../src/worker/archive/ports.ts';

/** An archive, and a look past its port at what really stands there. */
export interface ArchiveUnderTest {
  readonly archive: ArchivePort;
  bodyOf(objectKey: string): Promise<string | undefined>;
  /** The bodies that were replaced, in their order. */
  replacedBodiesOf(objectKey: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What every archive does. Objects go by keys of their own, so that a bucket that is not empty serves as well. */
export function describeArchivePort(name: string, open: () => Promise<ArchiveUnderTest>): void {
  describe(`${name} as an archive`, () => {
    let under: ArchiveUnderTest;
    let archive: ArchivePort;

    beforeAll(async () => {
      under = await open();
      archive = under.archive;
    });

    afterAll(async () => {
      await under.close();
    });

    test('does not find an object that was never put', async () => {
      expect(await archive.head(anyKey())).toBeUndefined();
    });

    test('returns the digest of an object', async () => {
      const key = anyKey();

      expect(await archive.put(key, object('first', 'd1'), undefined)).toBe(true);
      expect(await archive.head(key)).toEqual({
        etag: expect.stringMatching(/./),
        digest: 'd1',
        sequence: 0n,
      });
    });

    test('returns the record for which an object was put', async () => {
      const key = anyKey();
      const sequence = BigInt('9'.repeat(sequenceDigits));
      await archive.put(key, { ...object('first', 'd1'), sequence }, undefined);

      expect(await archive.head(key)).toMatchObject({ sequence });
    });

    test('stores the body unchanged', async () => {
      const key = anyKey();
      const body = `{"Item": \t{"PK":{"S":"§/🦊 \u0000\uffff"}}}\n`;
      await archive.put(key, object(body, 'd1'), undefined);

      expect(await under.bodyOf(key)).toBe(body);
    });

    test('stores a body of 400 KB', async () => {
      const key = anyKey();
      const body = 'é'.repeat(200 * 1024);
      await archive.put(key, object(body, 'd1'), undefined);

      expect(await under.bodyOf(key)).toBe(body);
    });

    test('does not overwrite an object if none was seen', async () => {
      const key = anyKey();
      await archive.put(key, object('first', 'd1'), undefined);

      expect(await archive.put(key, object('second', 'd2'), undefined)).toBe(false);
      expect(await archive.head(key)).toMatchObject({ digest: 'd1' });
      expect(await under.bodyOf(key)).toBe('first');
    });

    test('replaces the object that was seen', async () => {
      const key = anyKey();
      await archive.put(key, object('first', 'd1'), undefined);
      const seen = await archive.head(key);

      expect(await archive.put(key, object('second', 'd2'), seen?.etag)).toBe(true);
      expect(await archive.head(key)).toMatchObject({ digest: 'd2' });
      expect(await under.bodyOf(key)).toBe('second');
    });

    test('does not replace an object that was replaced since it was seen', async () => {
      const key = anyKey();
      await archive.put(key, object('first', 'd1'), undefined);
      const seen = await archive.head(key);
      await archive.put(key, object('second', 'd2'), seen?.etag);

      expect(await archive.put(key, object('third', 'd3'), seen?.etag)).toBe(false);
      expect(await archive.head(key)).toMatchObject({ digest: 'd2' });
    });

    test('does not replace an object that does not exist', async () => {
      const [key, other] = [anyKey(), anyKey()];
      await archive.put(other, object('first', 'd1'), undefined);
      const seen = await archive.head(other);

      expect(await archive.put(key, object('second', 'd2'), seen?.etag)).toBe(false);
      expect(await archive.head(key)).toBeUndefined();
    });

    test('distinguishes a repeated state from its first occurrence', async () => {
      const key = anyKey();
      await archive.put(key, object('{ "Item": 1}', 'd1'), undefined);
      const seen = await archive.head(key);
      await archive.put(key, object('{\t"Item": 1}', 'd1'), seen?.etag);
      const now = await archive.head(key);

      expect(now?.digest).toBe('d1');
      expect(now?.etag).not.toBe(seen?.etag);
    });

    test('keeps replaced bodies in their order', async () => {
      const key = anyKey();
      for (const body of ['first', 'second', 'third', 'fourth'])
        await archive.put(key, object(body, 'd'), (await archive.head(key))?.etag);

      expect(await under.replacedBodiesOf(key)).toEqual(['first', 'second', 'third']);
    });

    test('creates an object by one of many concurrent puts', async () => {
      const key = anyKey();
      const won = await Promise.all(bodies(8).map((body) => archive.put(key, object(body, body), undefined)));

      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await archive.head(key)).toMatchObject({ digest: bodies(8)[won.indexOf(true)] });
    });

    test('replaces an object by one of many concurrent puts', async () => {
      const key = anyKey();
      await archive.put(key, object('first', 'd1'), undefined);
      const seen = await archive.head(key);
      const won = await Promise.all(
        bodies(8).map((body) => archive.put(key, object(body, body), seen?.etag)),
      );

      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await under.bodyOf(key)).toBe(bodies(8)[won.indexOf(true)]);
      expect(await under.replacedBodiesOf(key)).toEqual(['first']);
    });

    test('returns the current digest at every moment of a replacement', async () => {
      const key = anyKey();
      await archive.put(key, object('body', 'd'), undefined);
      let replacing = true;
      const looking = (async () => {
        while (replacing)
          expect(await archive.head(key)).toMatchObject({ digest: expect.stringMatching(/^d/) });
      })();
      for (const body of bodies(8))
        await archive.put(key, object(body, `d ${body}`), (await archive.head(key))?.etag);
      replacing = false;

      await looking;
    });

    test('keeps keys apart, whatever they encode, up to 1,024 bytes', async () => {
      const location = `archive/Order/${randomUUID()}`;
      const long = `${location}/${'%F0%9F%A6%8A'.repeat(80)}`.slice(0, 1018);
      const keys = [
        `${location}/%2E%2E.json`,
        `${location}/%2E.json`,
        `${location}/a%2Fb.json`,
        `${location}/a%252Fb.json`,
        `${location}/~.json.12345678901234567890`,
        `${long}0.json`,
        `${long}1.json`,
      ];
      for (const key of keys) await archive.put(key, object(`the body of ${key}`, key), undefined);

      for (const key of keys) {
        expect(await archive.head(key)).toMatchObject({ digest: key });
        expect(await under.bodyOf(key)).toBe(`the body of ${key}`);
      }
    });
  });
}

function anyKey(): string {
  return `archive/Order/ORDER%23${randomUUID()}/METADATA.json`;
}

function object(body: string, digest: string) {
  return { body, digest };
}

function bodies(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `body ${index}`);
}
