import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DenormError } from '../../src/model/basics/errors.ts';
import { recordDigits } from '../../src/model/items/change.ts';
import type { StorageClass } from '../../src/model/rules/archive-rule.ts';
import type {
  ArchivedVersion,
  ArchiveNotes,
  ArchivePort,
  ArchiveReader,
} from '../../src/worker/archive/ports.ts';

/** An archive that is written to and read, in pages of three. */
export interface ArchiveUnderTest {
  readonly archive: ArchivePort;
  readonly reader: ArchiveReader;
  readonly notes: ArchiveNotes;
  /** Changes the body that stands there, past the archive; undefined where that cannot be done. */
  readonly damage?: (objectKey: string) => Promise<void>;
  /** Whether it retrieves the version that is asked for, and not always the standing one. */
  readonly retrievesVersions: boolean;
  close(): Promise<void>;
}

export const pageLimitUnderTest = 3;

/** What every archive does. Objects go by keys of their own, so that a bucket that is not empty serves as well. */
export function describeArchive(name: string, open: () => Promise<ArchiveUnderTest>): void {
  describe(`${name} as an archive`, () => {
    let under: ArchiveUnderTest;
    let archive: ArchivePort;
    let reader: ArchiveReader;

    beforeAll(async () => {
      under = await open();
      ({ archive, reader } = under);
    });

    afterAll(() => under.close());

    /** Replaces what stands there. */
    async function put(objectKey: string, body: string, sequence = 0n): Promise<void> {
      const object = { ...objectOf(body), sequence, storageClass: 'STANDARD' } as const;
      expect(await archive.put(objectKey, object, await etagOf(objectKey))).toBe(true);
    }

    async function etagOf(objectKey: string): Promise<string | undefined> {
      return (await archive.head(objectKey))?.etag;
    }

    async function listed(prefix: string): Promise<ArchivedVersion[]> {
      const versions: ArchivedVersion[] = [];
      let from: string | undefined;
      do {
        const page = await reader.list(prefix, from);
        versions.push(...page.versions);
        from = page.next;
      } while (from !== undefined);
      return versions;
    }

    const keysBelow = async (prefix: string) => (await listed(prefix)).map(({ objectKey }) => objectKey);

    /** Of all versions, the newest first. */
    async function bodies(prefix: string): Promise<string[]> {
      const versions = await listed(prefix);
      return Promise.all(versions.map(({ objectKey, versionId }) => text(reader.read(objectKey, versionId))));
    }

    describe('a put', () => {
      test.each([
        ['of any characters', `{"Item": \t{"PK":{"S":"§/🦊 \u0000\uffff"}}}\n`],
        ['of 400 KB', 'é'.repeat(200 * 1024)],
        ['that is compressed', gzipSync('{"Item":{}}\n'.repeat(100))],
      ])('stores a body %s unchanged', async (_, body) => {
        const key = anyKey();
        await archive.put(key, { body, digest: 'd' }, undefined);

        expect(Buffer.from(await reader.read(key)).equals(Buffer.from(body))).toBe(true);
      });

      test('creates an object if none was seen, and does not overwrite one', async () => {
        const key = anyKey();
        await put(key, 'first');

        expect(await archive.put(key, objectOf('second'), undefined)).toBe(false);
        expect(await bodies(key)).toEqual(['first']);
      });

      test('replaces the object that was seen, unless it was replaced since', async () => {
        const key = anyKey();
        await put(key, 'first');
        const seen = await etagOf(key);

        expect(await archive.put(key, objectOf('second'), seen)).toBe(true);
        expect(await archive.put(key, objectOf('third'), seen)).toBe(false);
        expect(await archive.head(key)).toMatchObject({ digest: digestFor('second') });
        expect(await bodies(key)).toEqual(['second', 'first']);
      });

      test('does not replace an object that does not exist', async () => {
        const [key, other] = [anyKey(), anyKey()];
        await put(other, 'first');

        expect(await archive.put(key, objectOf('second'), await etagOf(other))).toBe(false);
        expect(await archive.head(key)).toBeUndefined();
      });

      test('distinguishes a repeated state from its first occurrence', async () => {
        const key = anyKey();
        await archive.put(key, { body: '{ "Item": 1}', digest: 'd1' }, undefined);
        const seen = await etagOf(key);
        await archive.put(key, { body: '{\t"Item": 1}', digest: 'd1' }, seen);

        expect(await archive.head(key)).toMatchObject({ digest: 'd1' });
        expect(await etagOf(key)).not.toBe(seen);
      });

      test.each([
        ['creates', []],
        ['replaces', ['first']],
      ])('%s an object as one of many that compete', async (_, before) => {
        const key = anyKey();
        for (const body of before) await put(key, body);
        const seen = await etagOf(key);
        const won = await Promise.all(eight.map((body) => archive.put(key, objectOf(body), seen)));

        expect(won.filter(Boolean)).toHaveLength(1);
        expect(await bodies(key)).toEqual([eight[won.indexOf(true)], ...before]);
      });

      test('leaves no moment without an object', async () => {
        const key = anyKey();
        await put(key, 'first');
        let replacing = true;
        const looking = (async () => {
          while (replacing)
            expect(await archive.head(key)).toMatchObject({ digest: expect.stringMatching(/^digest/) });
        })();
        for (const body of eight) await put(key, body);
        replacing = false;

        await looking;
      });

      test('keeps keys apart, whatever they encode, up to 1,024 bytes', async () => {
        const location = `archive/Order/${randomUUID()}`;
        const long = `${location}/${'%F0%9F%A6%8A'.repeat(80)}`.slice(0, 1018);
        const names = ['%2E%2E', '%2E', 'a%2Fb', 'a%252Fb', '~'];
        const keys = [
          ...names.map((name) => `${location}/${name}.json`),
          `${location}/~.json.12345678901234567890`,
          ...[`${long}0.json`, `${long}1.json`],
        ];
        for (const key of keys) await put(key, `the body of ${key}`);

        for (const key of keys) expect(await text(reader.read(key))).toBe(`the body of ${key}`);
      });
    });

    describe('reading', () => {
      test('reports a missing object', async () => {
        const key = anyKey();

        await expect(reader.read(key)).rejects.toMatchObject({ code: 'archive.missing' });
        expect(await reader.details(key)).toBeUndefined();
        expect(await archive.head(key)).toBeUndefined();
      });

      test('reports a damaged body', async ({ skip }) => {
        if (under.damage === undefined) return skip('its bodies cannot be changed past it');
        const key = anyKey();
        await put(key, 'first');
        await under.damage(key);

        const error = await reader.read(key).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(DenormError);
        expect(error).toMatchObject({ code: 'archive.damaged', message: expect.stringContaining(key) });
      });
    });

    describe('the details of an object', () => {
      test('are its digest, its record, its size and its storage class', async () => {
        const key = anyKey();
        const sequence = BigInt('9'.repeat(recordDigits));
        await put(key, 'firsté', sequence);

        const head = { etag: expect.stringMatching(/./), digest: digestFor('firsté'), sequence };
        expect(await archive.head(key)).toEqual(head);
        expect(await reader.details(key)).toEqual({
          ...{ ...head, etag: await etagOf(key), of: undefined },
          ...{ storageClass: 'STANDARD', retrieval: 'none' },
        });
      });

      test('include those of replaced versions', async () => {
        const key = anyKey();
        await put(key, 'first', 1n);
        await put(key, 'second', 2n);
        const [, replaced] = await listed(key);

        expect(await reader.details(key, replaced?.versionId)).toMatchObject({
          digest: digestFor('first'),
          sequence: 1n,
        });
      });

      test.each<StorageClass>(['STANDARD', 'STANDARD_IA', 'GLACIER_IR', 'GLACIER', 'DEEP_ARCHIVE'])(
        'include the storage class %s in which it was put',
        async (storageClass) => {
          const key = anyKey();
          await archive.put(key, { ...objectOf('first'), storageClass }, undefined);

          expect(await reader.details(key)).toMatchObject({ storageClass });
          expect((await listed(key)).map((version) => version.storageClass)).toEqual([storageClass]);
        },
      );

      test('include the key of the item if its object key is a hash', async () => {
        const key = `archive/Order/%sha256/${randomUUID().replaceAll('-', '0').repeat(2)}.json`.slice(0, 91);
        const of = { pk: 'PK §/🦊'.repeat(20), sk: '..' };
        await archive.put(key, { ...objectOf('first'), of, storageClass: 'STANDARD' }, undefined);

        expect(await reader.details(key)).toMatchObject({ of });
      });
    });

    describe.each<StorageClass>(['GLACIER', 'DEEP_ARCHIVE'])('an object in %s', (storageClass) => {
      test('has details and is listed, and can be read once its retrieval is complete', async () => {
        const key = anyKey();
        await archive.put(key, { ...objectOf('first'), storageClass }, undefined);

        expect(await archive.head(key)).toMatchObject({ digest: digestFor('first') });
        expect(await reader.details(key)).toMatchObject({ retrieval: 'needed' });
        expect(await keysBelow(key)).toEqual([key]);
        await expect(reader.read(key)).rejects.toMatchObject({
          code: 'archive.not-retrieved',
          message: expect.stringContaining('ask for its retrieval'),
        });

        await reader.retrieve(key, undefined, 2, 'Bulk');
        await reader.retrieve(key, undefined, 3, 'Standard');
        await expect
          .poll(async () => (await reader.details(key))?.retrieval, { timeout: 20_000 })
          .toBe('readable');
        expect(await text(reader.read(key))).toBe('first');
      });

      test('has versions that are retrieved separately', async ({ skip }) => {
        if (!under.retrievesVersions) skip('it retrieves the standing version only');
        const key = anyKey();
        await archive.put(key, { ...objectOf('first'), storageClass }, undefined);
        await archive.put(key, { ...objectOf('second'), storageClass }, await etagOf(key));
        const [latest, replaced] = await listed(key);
        await reader.retrieve(key, replaced?.versionId, 2, 'Standard');

        expect(await text(reader.read(key, replaced?.versionId))).toBe('first');
        await expect(reader.read(key, latest?.versionId)).rejects.toMatchObject({
          code: 'archive.not-retrieved',
        });
      });
    });

    test('needs no retrieval outside Glacier, and accepts a request for one', async () => {
      const key = anyKey();
      await put(key, 'first');

      await reader.retrieve(key, undefined, 1, 'Standard');
      expect(await reader.details(key)).toMatchObject({ retrieval: 'none' });
    });

    describe('listing', () => {
      test('returns objects in the order of their keys, with all versions, in pages', async () => {
        const location = `archive/Order/${randomUUID()}`;
        const before = ['-b/c.json', '/b-c.json'].map((end) => `${location}${end}`);
        const twice = `${location}/b.json`;
        const after = ['/b.json.12', '/b.json.json', '/b0.json', '0/b.json'].map(
          (end) => `${location}${end}`,
        );
        for (const key of [...before, twice, ...after].reverse()) await put(key, 'first');
        await put(twice, 'second');

        const versions = await listed(location);
        expect(versions.map(({ objectKey }) => objectKey)).toEqual([...before, twice, twice, ...after]);
        expect(versions.filter(({ latest }) => !latest).map(({ objectKey }) => objectKey)).toEqual([twice]);
        expect((await reader.list(location)).versions.length).toBeLessThan(versions.length);
      });

      test('returns the keys with a prefix, and no others, however long they are', async () => {
        const location = `archive/Order/${randomUUID()}`;
        const long = `/${'a'.repeat(300)}`;
        const ends = [`${long}0.json`, `${long}1.json`, 'ab/c', 'abc/d', 'b/c'];
        for (const end of ends) await put(`${location}${end}`, 'first');

        const endsBelow = async (prefix: string) =>
          (await keysBelow(`${location}${prefix}`)).map((key) => key.slice(location.length));
        expect(await endsBelow('ab')).toEqual(['ab/c', 'abc/d']);
        for (const nothing of ['ab/d', 'none/']) expect(await endsBelow(nothing)).toEqual([]);
        for (const prefix of ['/', long.slice(0, -1)])
          expect(await endsBelow(prefix)).toEqual([`${long}0.json`, `${long}1.json`]);
        expect(await endsBelow(`${long}1`)).toEqual([`${long}1.json`]);
      });

      test('returns the time, size and storage class of each', async () => {
        const key = anyKey();
        const before = Date.now();
        await put(key, 'firsté');

        const [version] = await listed(key);
        expect(version).toMatchObject({ objectKey: key, latest: true, bytes: 7, storageClass: 'STANDARD' });
        // Rounded to the second, and by another clock.
        expect(Math.abs((version?.archivedAt ?? 0) - before)).toBeLessThan(60_000);
      });
    });

    describe('erasing', () => {
      test.each([
        ['an object', anyKey()],
        ['an object whose key a file system must shorten', anyKey('a'.repeat(300))],
      ])('removes %s with its versions, but not what a younger record has put', async (_, key) => {
        for (const sequence of [9n, 10n, 100n]) await put(key, `body ${sequence}`, sequence);
        for (const sequence of [10n, 101n]) await put(`${key}.${sequence}`, `last ${sequence}`, sequence);

        await archive.erase(key, 99n);
        expect(await bodies(key)).toEqual(['body 100', 'last 101']);
        expect(await archive.head(key)).toMatchObject({ digest: digestFor('body 100') });

        await archive.erase(key, 101n);
        expect(await listed(key)).toEqual([]);
        for (const gone of [key, `${key}.10`]) expect(await archive.head(gone)).toBeUndefined();
      });

      test('makes the newest remaining version current if it removes the current one', async () => {
        const key = anyKey();
        for (const sequence of [1n, 8n, 2n]) await put(key, `body ${sequence}`, sequence);

        await archive.erase(key, 5n);

        expect(await bodies(key)).toEqual(['body 8']);
        expect(await archive.head(key)).toMatchObject({ digest: digestFor('body 8'), sequence: 8n });
        expect(await text(reader.read(key))).toBe('body 8');
      });

      test('keeps objects whose keys only begin alike', async () => {
        const key = anyKey();
        await put(key, 'first');
        const others = [`${key}.json`, `${key}.12x`, `${key}5`, `${key}.5.json`, `${key}.5.json.6`];
        for (const other of others) await put(other, 'other');

        await archive.erase(key, 10n);

        expect(await keysBelow(key)).toEqual([...others].sort());
      });

      test('a missing object is no error, and an object can be put afterwards', async () => {
        const key = anyKey();
        await archive.erase(key, 5n);
        await put(key, 'first', 1n);
        await archive.erase(key, 5n);

        expect(await archive.put(key, objectOf('second'), undefined)).toBe(true);
      });
    });

    test('notes contain what was written last, and are not part of the archive', async () => {
      const id = randomUUID();
      const noteKey = `restored/Order/${id}/METADATA.json`;

      expect(await under.notes.read(noteKey)).toBeUndefined();
      for (const note of ['{"at":"first"}', '{"at":"§🦊"}\n']) await under.notes.write(noteKey, note);
      expect(await under.notes.read(noteKey)).toBe('{"at":"§🦊"}\n');
      expect(await listed(`archive/Order/${id}`)).toEqual([]);
    });
  });
}

const eight = Array.from({ length: 8 }, (_, index) => `body ${index}`);

async function text(body: Promise<Uint8Array>): Promise<string> {
  return Buffer.from(await body).toString();
}

function objectOf(body: string) {
  return { body, digest: digestFor(body) };
}

/** Metadata is plain ASCII: any other body has a digest as well. */
function digestFor(body: string): string {
  return `digest of ${Buffer.from(body).toString('hex')}`;
}

function anyKey(more = ''): string {
  return `archive/Order/ORDER%23${randomUUID()}/METADATA${more}.json`;
}
