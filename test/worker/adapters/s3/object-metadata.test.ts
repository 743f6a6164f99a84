import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterAll as maxSequence } from '../../../../src/model/items/change.ts';
import { maxPkBytes, maxSkBytes } from '../../../../src/model/items/table-names.ts';
import { metadataOf, readMetadata } from '../../../../src/worker/adapters/s3/object-metadata.ts';
import { itemKey } from '../../../fixtures/model/arbitraries.ts';

const digest = 'd'.repeat(64);

describe('the metadata of an object', () => {
  test('returns everything that was put, whatever the key', () => {
    fc.assert(
      fc.property(itemKey, fc.bigInt({ min: 0n, max: maxSequence }), (of, sequence) => {
        expect(readMetadata(metadataOf(digest, sequence, of))).toEqual({ digest, sequence, of });
      }),
    );
  });

  test('never exceeds the 2 KB of ASCII that S3 allows', () => {
    const lengths = fc.record({
      sign: fc.constantFrom('x', '#', '§', '😀', '"'),
      pk: fc.integer({ min: 1, max: maxPkBytes }),
      sk: fc.integer({ min: 1, max: maxSkBytes }),
    });
    fc.assert(
      fc.property(lengths, ({ sign, pk, sk }) => {
        const of = { pk: ofBytes(sign, pk), sk: ofBytes(sign, sk) };
        const metadata = Object.entries(metadataOf(digest, maxSequence, of))
          .flat()
          .join('');

        expect(metadata).toMatch(/^[\x20-\x7e]*$/);
        expect(metadata.length).toBeLessThanOrEqual(2_048);
      }),
    );
  });

  test('omits a key that is too long for it', () => {
    const of = { pk: 'x'.repeat(maxPkBytes), sk: 'y' };

    expect(readMetadata(metadataOf(digest, 1n, of))).toEqual({ digest, sequence: 1n, of: undefined });
  });

  test.each([
    [undefined, 0n],
    [{}, 0n],
    [{ sequence: 'abc', key: '!' }, 0n],
    [{ sequence: '-1', key: Buffer.from('{}').toString('base64url') }, 0n],
    [{ sequence: '12', key: Buffer.from('[1,2]').toString('base64url') }, 12n],
  ])('of another program is read as far as possible: %j', (metadata, sequence) => {
    expect(readMetadata(metadata)).toEqual({ digest: undefined, sequence, of: undefined });
  });
});

function ofBytes(sign: string, bytes: number): string {
  return sign.repeat(Math.floor(bytes / Buffer.byteLength(sign))) || 'x';
}
