import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StorageClass } from '../../src/model/archive-rule.ts';
import { DenormError } from '../../src/model/errors.ts';
import type { Item } from '../../src/model/item.ts';
import { readState, statesOf } from '../../src/operate/archive/read-states.ts';
import { archiveLines } from '../../src/worker/archive/archive-lines.ts';
import { bodyOf, digestOf, objectKeyOf } from '../../src/worker/archive/object.ts';
import type {
  ArchivedVersion,
  ArchiveNotes,
  ArchivePort,
  ArchiveReader,
} from '../../src/worker/archive/ports.ts';

/** An archive that is written to and read, in pages of three. */
export interface ReadableArchiveUnderTest {
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

/** What every archive does that is read. Objects go by keys of their own, so that a bucket that is not empty serves as well. */
export function describeArchiveReader(name: string, open: () => Promise<ReadableArchiveUnderTest>): void {
  describe(`${name} as a readable archive`, () => {
    let under: ReadableArchiveUnderTest;
    let archive: ArchivePort;
    let reader: ArchiveReader;

    beforeAll(async () => {
      under = await open();
      ({ archive, reader } = under);
    });

    afterAll(async () => {
      await under.close();
    });

    async function put(objectKey: string, body: string, sequence = 0n): Promise<void> {
      const seen = await archive.head(objectKey);
      const object = { body, digest: digestFor(body), sequence, storageClass: 'STANDARD' } as const;
      expect(await archive.put(objectKey, object, seen?.etag)).toBe(true);
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

    async function bodies(prefix: string): Promise<string[]> {
      const versions = await listed(prefix);
      return Promise.all(versions.map(({ objectKey, versionId }) => text(reader.read(objectKey, versionId))));
    }

    describe('reading', () => {
      test('returns a body unchanged', async () => {
        const key = anyKey();
        const body = `{"Item": \t{"PK":{"S":"§/🦊 \u0000\uffff"}}}\n`;
        await put(key, body);

        expect(await text(reader.read(key))).toBe(body);
      });

      test('returns compressed bytes unchanged', async () => {
        const key = anyKey().replace('.json', '.ndjson.gz');
        const body = gzipSync('{"Item":{}}\n'.repeat(100));
        await archive.put(key, { body, digest: 'd', storageClass: 'STANDARD' }, undefined);

        expect(Buffer.from(await reader.read(key)).equals(body)).toBe(true);
      });

      test('returns a replaced version', async () => {
        const key = anyKey();
        for (const body of ['first', 'second', 'third']) await put(key, body);

        expect(await bodies(key)).toEqual(['third', 'second', 'first']);
        expect(await text(reader.read(key))).toBe('third');
      });

      test('reports a missing object', async () => {
        await expect(reader.read(anyKey())).rejects.toMatchObject({ code: 'archive.missing' });
        expect(await reader.details(anyKey())).toBeUndefined();
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
        await put(key, 'firsté', 100_000_000_000_000_000_000_123n);

        expect(await reader.details(key)).toEqual({
          etag: (await archive.head(key))?.etag,
          digest: digestFor('firsté'),
          sequence: 100_000_000_000_000_000_000_123n,
          of: undefined,
          bytes: 7,
          storageClass: 'STANDARD',
          retrieval: 'none',
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
          await archive.put(key, { body: 'first', digest: 'd', storageClass }, undefined);

          expect(await reader.details(key)).toMatchObject({ storageClass });
          expect((await listed(key)).map((version) => version.storageClass)).toEqual([storageClass]);
        },
      );

      test('include the key of the item if its object key is a hash', async () => {
        const key = `archive/Order/%sha256/${randomUUID().replaceAll('-', '0').repeat(2)}.json`.slice(0, 91);
        const of = { pk: 'PK §/🦊'.repeat(20), sk: '..' };
        await archive.put(key, { body: 'first', digest: 'd', of, storageClass: 'STANDARD' }, undefined);

        expect(await reader.details(key)).toMatchObject({ of });
      });
    });

    describe.each<StorageClass>(['GLACIER', 'DEEP_ARCHIVE'])('an object in %s', (storageClass) => {
      test('has details and is listed, but cannot be read', async () => {
        const key = anyKey();
        await archive.put(key, { body: 'first', digest: 'd1', storageClass }, undefined);

        expect(await archive.head(key)).toMatchObject({ digest: 'd1' });
        expect(await reader.details(key)).toMatchObject({ digest: 'd1', retrieval: 'needed' });
        expect(await listed(key)).toHaveLength(1);
        await expect(reader.read(key)).rejects.toMatchObject({
          code: 'archive.not-retrieved',
          message: expect.stringContaining('ask for its retrieval'),
        });
      });

      test('can be read once its requested retrieval is complete', async () => {
        const key = anyKey();
        await archive.put(key, { body: 'first', digest: 'd1', storageClass }, undefined);
        await reader.retrieve(key, undefined, 2, 'Bulk');
        await expect
          .poll(async () => (await reader.details(key))?.retrieval, { timeout: 20_000 })
          .toBe('readable');

        expect(await text(reader.read(key))).toBe('first');
      });

      test('can be requested again', async () => {
        const key = anyKey();
        await archive.put(key, { body: 'first', digest: 'd1', storageClass }, undefined);
        await reader.retrieve(key, undefined, 2, 'Bulk');

        await expect(reader.retrieve(key, undefined, 3, 'Standard')).resolves.toBeUndefined();
      });

      test('has versions that are retrieved separately', async ({ skip }) => {
        if (!under.retrievesVersions) skip('it retrieves the standing version only');
        const key = anyKey();
        await archive.put(key, { body: 'first', digest: 'd1', storageClass }, undefined);
        await archive.put(
          key,
          { body: 'second', digest: 'd2', storageClass },
          (await archive.head(key))?.etag,
        );
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
      test('returns objects in the order of their keys, with all their versions, page by page', async () => {
        const location = `archive/Order/${randomUUID()}`;
        const ends = [
          '-b/c.json',
          '/b-c.json',
          '/b.json',
          '/b.json.12',
          '/b.json.json',
          '/b0.json',
          '0/b.json',
        ];
        const keys = ends.map((end) => `${location}${end}`);
        for (const key of [...keys].reverse()) await put(key, 'first');
        await put(`${location}/b.json`, 'second');

        const versions = await listed(location);
        expect(versions.map(({ objectKey }) => objectKey)).toEqual(
          keys.flatMap((key) =>
            key.endsWith('/b.json') && key.startsWith(`${location}/`) ? [key, key] : [key],
          ),
        );
        expect(versions.filter(({ latest }) => !latest).map(({ objectKey }) => objectKey)).toEqual([
          `${location}/b.json`,
        ]);
        expect((await reader.list(location)).versions.length).toBeLessThan(versions.length);
      });

      test('returns the keys with a prefix, and no others', async () => {
        const location = `archive/Order/${randomUUID()}`;
        for (const end of ['ab/c', 'abc/d', 'b/c']) await put(`${location}${end}`, 'first');

        expect((await listed(`${location}ab`)).map(({ objectKey }) => objectKey)).toEqual([
          `${location}ab/c`,
          `${location}abc/d`,
        ]);
        expect(await listed(`${location}ab/d`)).toEqual([]);
        expect(await listed(`${location}none/`)).toEqual([]);
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

      test('returns long keys unchanged', async () => {
        const location = `archive/Order/${randomUUID()}`;
        const keys = [`${location}/${'a'.repeat(300)}0.json`, `${location}/${'a'.repeat(300)}1.json`];
        for (const key of keys) await put(key, 'first');

        expect((await listed(`${location}/`)).map(({ objectKey }) => objectKey).sort()).toEqual(keys);
        expect((await listed(`${location}/${'a'.repeat(299)}`)).length).toBe(2);
        expect((await listed(`${location}/${'a'.repeat(300)}1`)).length).toBe(1);
      });
    });

    describe('erasing', () => {
      test('removes the object with all its versions and last states', async () => {
        const key = anyKey();
        for (const sequence of [1n, 2n, 3n, 4n]) await put(key, `body ${sequence}`, sequence);
        for (const sequence of [2n, 4n]) await put(`${key}.${sequence}`, 'last', sequence);

        await archive.erase(key, 4n);

        expect(await listed(key)).toEqual([]);
        expect(await archive.head(key)).toBeUndefined();
        expect(await archive.head(`${key}.2`)).toBeUndefined();
      });

      test('keeps what a younger record has put', async () => {
        const key = anyKey();
        for (const sequence of [9n, 100n]) await put(key, `body ${sequence}`, sequence);
        for (const sequence of [10n, 101n]) await put(`${key}.${sequence}`, `last ${sequence}`, sequence);

        await archive.erase(key, 99n);

        expect(await bodies(key)).toEqual(['body 100', 'last 101']);
        expect(await archive.head(key)).toMatchObject({ digest: digestFor('body 100') });
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

        expect((await listed(key)).map(({ objectKey }) => objectKey)).toEqual([...others].sort());
      });

      test('removes the last states of an object whose key a file system must shorten', async () => {
        const key = `archive/Order/${randomUUID()}/${'a'.repeat(300)}.json`;
        await put(key, 'first', 1n);
        await put(`${key}.2`, 'last', 2n);
        await put(`${key}.30`, 'younger', 30n);

        await archive.erase(key, 5n);

        expect((await listed(key)).map(({ objectKey }) => objectKey)).toEqual([`${key}.30`]);
      });

      test('a missing object is no error, and an object can be put afterwards', async () => {
        const key = anyKey();
        await archive.erase(key, 5n);
        await put(key, 'first', 1n);
        await archive.erase(key, 5n);

        expect(await archive.put(key, { body: 'second', digest: 'd2' }, undefined)).toBe(true);
      });
    });

    describe('an item', () => {
      const item: Item = {
        PK: { S: 'ORDER#§/🦊' },
        SK: { S: '..' },
        empty: { S: '' },
        number: { N: '12345678901234567890123456789012345678' },
        small: { N: '-1E-130' },
        bytes: { B: Uint8Array.of(0, 255, 10, 13) },
        sets: { L: [{ SS: ['b', 'a'] }, { NS: ['2', '1'] }, { BS: [Uint8Array.of(1)] }] },
        nested: { M: { '"\\': { M: { '': { NULL: true } } }, 'a.b': { BOOL: false } } },
        large: { S: '§\n'.repeat(100 * 1024) },
      };

      test('is restored unchanged from an object', async () => {
        const [kind, key] = [`Order${randomUUID()}`, { pk: 'ORDER#§/🦊', sk: '..' }];
        for (const [index, state] of [item, { ...item, empty: { S: 'no more' } }].entries()) {
          const objectKey = objectKeyOf(kind, key);
          const seen = await archive.head(objectKey);
          const object = {
            body: bodyOf(state, Uint8Array.of(index)),
            digest: digestOf(state),
            storageClass: 'STANDARD',
          } as const;
          await archive.put(objectKey, object, seen?.etag);
        }

        const states = await statesOf(reader, kind, key);
        expect(await Promise.all(states.map((state) => readState(reader, state)))).toEqual([
          item,
          { ...item, empty: { S: 'no more' } },
        ]);
      });

      test('is restored unchanged from a line of a batch', async () => {
        const [kind, key] = [{ name: `Order${randomUUID()}` }, { pk: 'ORDER#§/🦊', sk: '..' }];
        const others = Array.from({ length: 50 }, (_, index) => ({
          key: { pk: `ORDER#${index}`, sk: '..' },
          item: { PK: { S: `ORDER#${index}` }, SK: { S: '..' } },
          sequence: BigInt(index + 1),
          final: false,
          at: undefined,
        }));
        const states = [...others, { key, item, sequence: 100n, final: true, at: undefined }];
        await archiveLines({ archive }, { storageClass: 'STANDARD' }, kind, states);
        await archiveLines({ archive }, { storageClass: 'STANDARD' }, kind, [...states].reverse());

        const [state, ...more] = await statesOf(reader, kind.name, key);
        expect(more).toEqual([]);
        expect(state).toMatchObject({ final: true, sequence: 100n, digest: digestOf(item) });
        if (state !== undefined) expect(await readState(reader, state)).toEqual(item);
        expect((await listed(`archive/${kind.name}/`)).length).toBe(1);
      });
    });

    describe('notes', () => {
      test('contain what was written last', async () => {
        const noteKey = `state/sweep-${randomUUID()}.json`;

        expect(await under.notes.read(noteKey)).toBeUndefined();
        await under.notes.write(noteKey, '{"at":"first"}');
        await under.notes.write(noteKey, '{"at":"§🦊"}\n');
        expect(await under.notes.read(noteKey)).toBe('{"at":"§🦊"}\n');
      });

      test('are not part of the archive', async () => {
        const id = randomUUID();
        await under.notes.write(`restored/Order/${id}/METADATA.json`, '{}');

        expect(await listed(`archive/Order/${id}`)).toEqual([]);
      });
    });
  });
}

async function text(body: Promise<Uint8Array>): Promise<string> {
  return Buffer.from(await body).toString();
}

/** Metadata is plain ASCII: any other body has a digest as well. */
function digestFor(body: string): string {
  return `digest of ${Buffer.from(body).toString('hex')}`;
}

function anyKey(): string {
  return `archive/Order/ORDER%23${randomUUID()}/METADATA.json`;
}
