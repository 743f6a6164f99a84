import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type AttributeValue, canonicalMap } from '../../../src/model/attribute-value.ts';
import { sequenceDigits } from '../../../src/model/change.ts';
import { type ItemKey, keyText, maxPkBytes, maxSkBytes } from '../../../src/model/item.ts';
import {
  bodyOf,
  digestOf,
  finalObjectKeyOf,
  itemInBody,
  objectKeyOf,
} from '../../../src/worker/archive/object.ts';
import { attributes, exactNumber, itemKey, spelling } from '../../fixtures/model/arbitraries.ts';
import { item } from '../../fixtures/model/items.ts';

const maxS3Key = 1024;
const maxSequence = BigInt('9'.repeat(sequenceDigits));

describe('the key of an archived item', () => {
  test('names its kind, its partition and its sort key', () => {
    expect(objectKeyOf('Order', { pk: 'ORDER#o-1001', sk: 'METADATA' })).toBe(
      'archive/Order/ORDER%23o-1001/METADATA.json',
    );
  });

  test.each([
    ['two dots', '..'],
    ['a dot', '.'],
    ['three dots', '...'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a section sign', 'bear§books'],
    ['an emoji', '🐻'],
    ['a percent sign', '%2E%2E'],
    ['brackets and stars', "a*b(c)'d!"],
    ['a space and a line break', 'a b\nc'],
    ['a name like a last state', 'x.json.123'],
    ['the mark of a hashed key', '%sha256'],
  ])('keeps %s in one segment, and returns it', (_, part) => {
    const objectKey = objectKeyOf('Order', { pk: part, sk: part });

    expect(objectKey).toMatch(/^archive\/Order\/[\w~%.-]+\/[\w~%.-]+\.json$/);
    expect(objectKey.split('/').some((segment) => /^\.*$/.test(segment))).toBe(false);
    expect(decoded(objectKey)).toEqual({ pk: part, sk: part });
  });

  test('stays the same, so that objects which exist are found', () => {
    expect(objectKeyOf('Order', { pk: "a*b(c)'d!§", sk: '..' })).toBe(
      'archive/Order/a%2Ab%28c%29%27d%21%C2%A7/%2E%2E.json',
    );
  });

  test('can be read back to the key of the item, whatever that is', () => {
    fc.assert(
      fc.property(itemKey, (key) => {
        expect(decoded(objectKeyOf('Order', key))).toEqual(key);
      }),
      { numRuns: 1000 },
    );
  });

  test('differs for every other item, even if partition and sort key concatenate to the same text', () => {
    expect(objectKeyOf('Order', { pk: 'a', sk: 'bc' })).not.toBe(objectKeyOf('Order', { pk: 'ab', sk: 'c' }));
    expect(objectKeyOf('Order', { pk: 'a/b', sk: 'c' })).not.toBe(
      objectKeyOf('Order', { pk: 'a', sk: 'b/c' }),
    );
    const pieces = fc.constantFrom('a', 'b', '/', '%', '.', '%2F', 'json', '.json');
    const part = fc.array(pieces, { minLength: 1, maxLength: 4 }).map((some) => some.join(''));
    fc.assert(
      fc.property(fc.record({ pk: part, sk: part }), fc.record({ pk: part, sk: part }), (a, b) => {
        expect(objectKeyOf('Order', a) === objectKeyOf('Order', b)).toBe(keyText(a) === keyText(b));
      }),
      { numRuns: 2000 },
    );
  });

  test('is never longer than the limit of S3, and neither is that of a last state beside it', () => {
    const lengths = fc.record({
      sign: fc.constantFrom('x', '#', '§', '😀'),
      pk: fc.integer({ min: 1, max: maxPkBytes }),
      sk: fc.integer({ min: 1, max: maxSkBytes }),
    });
    fc.assert(
      fc.property(lengths, ({ sign, pk, sk }) => {
        const key = { pk: ofBytes(sign, pk), sk: ofBytes(sign, sk) };
        const objectKey = objectKeyOf('IncidentData', key);

        expect(Buffer.byteLength(objectKey)).toBeLessThanOrEqual(maxS3Key);
        expect(Buffer.byteLength(finalObjectKeyOf(objectKey, maxSequence))).toBeLessThanOrEqual(maxS3Key);
      }),
    );
  });

  test('is a separate hash for an item with too long a key', () => {
    const long = 'x'.repeat(maxPkBytes - 1);
    const one = objectKeyOf('Order', { pk: `${long}a`, sk: 'b' });
    const other = objectKeyOf('Order', { pk: long, sk: 'ab' });

    expect(one).toMatch(/^archive\/Order\/%sha256\/[0-9a-f]{64}\.json$/);
    expect(one).not.toBe(other);
    expect(objectKeyOf('Order', { pk: `${long}a`, sk: 'b' })).toBe(one);
  });

  test('leaves room for the number of a last state, however long that is', () => {
    for (let length = 900; length < maxS3Key; length += 1) {
      const objectKey = objectKeyOf('Order', { pk: 'x'.repeat(length), sk: 'y' });
      expect(finalObjectKeyOf(objectKey, maxSequence).length).toBeLessThanOrEqual(maxS3Key);
    }
  });

  test('cannot be mistaken for a hashed one', () => {
    expect(objectKeyOf('Order', { pk: '%sha256', sk: 'a' })).not.toContain('/%sha256/');
  });

  test('of a last state is no other item’s', () => {
    const final = finalObjectKeyOf(objectKeyOf('Order', { pk: 'a', sk: 'x' }), 123n);

    expect(final).toBe('archive/Order/a/x.json.123');
    expect(objectKeyOf('Order', { pk: 'a', sk: 'x.json.123' })).not.toBe(final);
    expect(finalObjectKeyOf(objectKeyOf('Order', { pk: 'a', sk: 'x' }), 124n)).not.toBe(final);
  });
});

describe('the body of an archived item', () => {
  const nonce = new Uint8Array([0b10100000, 0xff]);

  test('is one line that DynamoDB imports', () => {
    const body = bodyOf(item({ Part: 'a', Total: 59.97 }), nonce);

    expect(body.endsWith('}\n')).toBe(true);
    expect(body.trimEnd()).not.toContain('\n');
    expect(JSON.parse(body)).toEqual({ Item: { Part: { S: 'a' }, Total: { N: '59.97' } } });
  });

  test('contains exactly the item’s content', () => {
    fc.assert(
      fc.property(attributes, fc.uint8Array({ minLength: 8, maxLength: 8 }), (stored, bytes) => {
        const restored = imported(bodyOf(stored, bytes));

        expect(canonicalMap(restored)).toBe(canonicalMap(stored));
        expect(restored).toEqual(stored);
      }),
      { numRuns: 500 },
    );
  });

  test('keeps binary that is part of a larger buffer', () => {
    const wide = new Uint8Array([9, 1, 2, 9]);
    const stored = { a: { B: wide.subarray(1, 3) }, b: { BS: [wide.subarray(0, 1)] } };

    expect(JSON.parse(bodyOf(stored, nonce))).toEqual({ Item: { a: { B: 'AQI=' }, b: { BS: ['CQ=='] } } });
  });

  test('is unique to its nonce, and still the same item', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 2, maxLength: 2 }),
        fc.uint8Array({ minLength: 2, maxLength: 2 }),
        (a, b) => {
          const stored = item({ Part: 'a' });

          expect(bodyOf(stored, a) === bodyOf(stored, b)).toBe(String(a) === String(b));
          expect(JSON.parse(bodyOf(stored, a))).toEqual(JSON.parse(bodyOf(stored, b)));
        },
      ),
    );
    // The same bits without their leading zeros.
    expect(bodyOf({}, new Uint8Array([5, 0]))).not.toBe(bodyOf({}, new Uint8Array([2, 2])));
  });
});

describe('itemInBody', () => {
  test('returns the item of a body', () => {
    const stored = item({ Part: 'a', Total: 59.97 });

    expect(itemInBody(bodyOf(stored, new Uint8Array([1])))).toEqual(stored);
  });

  test.each(['', '{', 'null', '"Item"', '[]', '{}', '{"Item":null}', '{"Item":{"Part":"a"}}'])(
    'refuses %j, which another program has put',
    (text) => {
      expect(() => itemInBody(text)).toThrow(
        expect.objectContaining({
          code: 'archive.unreadable',
          message: expect.stringContaining('Expected a body of the form {"Item":{…}}'),
        }),
      );
    },
  );
});

describe('the digest of an item', () => {
  test('is the same whatever the order of attributes and sets and the spelling of numbers', () => {
    expect(digestOf({ a: { N: '1.0' }, b: { SS: ['x', 'y'] } })).toBe(
      digestOf({ b: { SS: ['y', 'x'] }, a: { N: '1' } }),
    );
    fc.assert(
      fc.property(
        exactNumber.chain((number) => fc.tuple(spelling(number), spelling(number))),
        ([a, b]) => {
          expect(digestOf({ n: { N: a } })).toBe(digestOf({ n: { N: b } }));
        },
      ),
    );
  });

  test('differs for every other item', () => {
    fc.assert(
      fc.property(attributes, attributes, (a, b) => {
        expect(digestOf(a) === digestOf(b)).toBe(canonicalMap(a) === canonicalMap(b));
      }),
    );
  });

  test('is hexadecimal, for the metadata of an object', () => {
    expect(digestOf({})).toMatch(/^[0-9a-f]{64}$/);
  });
});

/** Reads a key backwards, as the documentation of the archive’s keys describes. */
function decoded(objectKey: string): ItemKey {
  const [, , pk = '', file = ''] = objectKey.split('/');
  return { pk: decodeURIComponent(pk), sk: decodeURIComponent(file.replace(/\.json$/, '')) };
}

const base64 = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const jsonValue: z.ZodType<AttributeValue> = z.lazy(() =>
  z.union([
    z.strictObject({ S: z.string() }),
    z.strictObject({ N: z.string() }),
    z.strictObject({ B: base64 }),
    z.strictObject({ BOOL: z.boolean() }),
    z.strictObject({ NULL: z.literal(true) }),
    z.strictObject({ SS: z.array(z.string()) }),
    z.strictObject({ NS: z.array(z.string()) }),
    z.strictObject({ BS: z.array(base64) }),
    z.strictObject({ L: z.array(jsonValue) }),
    z.strictObject({ M: z.record(z.string(), jsonValue) }),
  ]),
);

/** Reads a body as DynamoDB’s import from S3 does: a line of JSON with one `Item`. */
function imported(body: string) {
  return z.strictObject({ Item: z.record(z.string(), jsonValue) }).parse(JSON.parse(body)).Item;
}

function ofBytes(sign: string, bytes: number): string {
  return sign.repeat(Math.floor(bytes / Buffer.byteLength(sign))) || 'x';
}
