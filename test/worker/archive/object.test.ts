import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalMap } from '../../../src/model/items/attribute-value.ts';
import { afterAll, recordId } from '../../../src/model/items/change.ts';
import { maxPkBytes, maxSkBytes } from '../../../src/model/items/table-names.ts';
import {
  bodyOf,
  digestOf,
  finalObjectKeyOf,
  hashedPrefixOf,
  isHashed,
  itemInBody,
  objectKeyOf,
  prefixOf,
  readObjectKey,
  restoredAt,
  restoredKeyOf,
  restoredMark,
} from '../../../src/worker/archive/object.ts';
import { attributes, exactNumber, itemKey, keyPart, spelling } from '../../fixtures/model/arbitraries.ts';
import { item } from '../../fixtures/model/items.ts';

const maxS3Key = 1024;
/** Also keys that look like a last state, or like the mark of a hashed key. */
const anyKey = fc.oneof(
  itemKey,
  itemKey.map(({ pk }) => ({ pk, sk: '' })),
  fc.constantFrom('x.json.123', '%sha256', '...', 'a\\b').map((part) => ({ pk: part, sk: part })),
);
const kind = fc.constantFrom('Order', 'IncidentData', 'a/b', 'dt=2026-01-01', '..', 'é');
const hashed = objectKeyOf('Order', { pk: 'x'.repeat(2_000), sk: 'y' });

describe('the object key of an item', () => {
  test.each([
    [{ pk: 'ORDER#o-1001', sk: 'METADATA' }, 'archive/Order/ORDER%23o-1001/METADATA.json'],
    [{ pk: 'device/1', sk: '' }, 'archive/Order/device%2F1.json'],
    [{ pk: 'device/1', sk: '-1.5' }, 'archive/Order/device%2F1/-1.5.json'],
    [{ pk: "a*b(c)'d!§", sk: '..' }, 'archive/Order/a%2Ab%28c%29%27d%21%C2%A7/%2E%2E.json'],
  ])('stays the same, so that objects which exist are found: %j', (key, objectKey) => {
    expect(objectKeyOf('Order', key)).toBe(objectKey);
  });

  test('can be read back as the documentation describes', () => {
    fc.assert(
      fc.property(kind, anyKey, fc.bigInt({ min: 0n, max: afterAll }), (name, key, final) => {
        const objectKey = objectKeyOf(name, key);
        const [, , pk = '', file = '.json'] = objectKey
          .replace(/^([^/]*\/[^/]*\/[^/]*)\.json$/, '$1')
          .split('/');
        const found = { holds: 'item', kind: name, key };

        expect({ pk: decodeURIComponent(pk), sk: decodeURIComponent(file.replace(/\.json$/, '')) }).toEqual(
          key,
        );
        expect(objectKey.split('/').some((segment) => /^\.*$/.test(segment))).toBe(false);
        expect(readObjectKey(objectKey)).toEqual({ ...found, final: undefined });
        expect(readObjectKey(finalObjectKeyOf(objectKey, final))).toEqual({
          ...found,
          final: recordId(final),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('is never longer than the limit of S3, nor is that of a last state', () => {
    const lengths = fc.record({
      sign: fc.constantFrom('x', '#', '§', '😀'),
      pk: fc.oneof(fc.integer({ min: 1, max: maxPkBytes }), fc.integer({ min: 900, max: maxS3Key })),
      sk: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: maxSkBytes })),
    });
    fc.assert(
      fc.property(lengths, ({ sign, pk, sk }) => {
        const objectKey = objectKeyOf('IncidentData', { pk: ofBytes(sign, pk), sk: ofBytes(sign, sk) });

        expect(Buffer.byteLength(objectKey)).toBeLessThanOrEqual(maxS3Key);
        expect(Buffer.byteLength(finalObjectKeyOf(objectKey, afterAll))).toBeLessThanOrEqual(maxS3Key);
      }),
    );
  });

  test('is a hash for an item with too long a key, which no other key is taken for', () => {
    const long = 'x'.repeat(maxPkBytes - 1);
    const [one, other] = [
      objectKeyOf('Order', { pk: `${long}a`, sk: 'b' }),
      objectKeyOf('Order', { pk: long, sk: 'ab' }),
    ];

    expect(one).toMatch(/^archive\/Order\/%sha256\/[0-9a-f]{64}\.json$/);
    expect(one).not.toBe(other);
    expect(objectKeyOf('Order', { pk: `${long}a`, sk: 'b' })).toBe(one);
    expect([hashed, finalObjectKeyOf(hashed, 12n)].map(isHashed)).toEqual([true, true]);
    expect(isHashed(objectKeyOf('%sha256', { pk: '%sha256', sk: '%sha256' }))).toBe(false);
    expect(readObjectKey(finalObjectKeyOf(hashed, 12n))).toEqual({
      holds: 'item',
      kind: 'Order',
      key: undefined,
      final: 12n,
    });
  });
});

test.each([
  '',
  'archive/Order/.json',
  'archive/Order/a/b.json/c.json',
  'archive/Order/a/b',
  'archive/Order//b.json',
  'archive/Order/a/\nb.json',
  'archive/Order/a/b.json.',
  'archive/Order/a/b.json.1x',
  'archive/Order/a#/b.json',
  'archive/Order/%zz/b.json',
  'archive/Order/%41/b.json',
  'archive/Order/%sha256/abc.json',
  `archive/Order/%sha256/x${'a'.repeat(64)}.json`,
  `archive/Order/%sha256/${'a'.repeat(64)}x.json`,
  `archive/%zz/%sha256/${'a'.repeat(64)}.json`,
  'archive/Order/dt=2026-11-21/xabc.ndjson.gz',
  'archive/Order/dt=2026-11-21/abc.ndjson.gz.1',
  'archive/Order/xdt=2026-11-21/abc.ndjson.gz',
  'archive/Order/dt=2026-11-21x/abc.ndjson.gz',
  'restored/Order/a/b.json',
])('readObjectKey returns nothing for %j, which no item has', (objectKey) => {
  expect(readObjectKey(objectKey)).toBeUndefined();
});

describe('prefixOf', () => {
  test('is the beginning of the keys of all items with that beginning', () => {
    fc.assert(
      fc.property(kind, itemKey, fc.nat(10), (name, key, length) => {
        expect(objectKeyOf(name, key).startsWith(prefixOf(name, key.pk.slice(0, length)))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is the beginning of no other keys, except for dots alone', () => {
    fc.assert(
      fc.property(keyPart, itemKey, (begins, key) => {
        fc.pre(!/^\.+$/.test(begins) && !/[\uD800-\uDBFF]$/.test(begins));

        expect(objectKeyOf('Order', key).startsWith(prefixOf('Order', begins))).toBe(
          key.pk.startsWith(begins),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test('is the same for keys of dots only, which look different', () => {
    for (const begins of ['', '.', '..', '...']) expect(prefixOf('Order', begins)).toBe('archive/Order/');
  });

  test('gives hashed keys a separate prefix', () => {
    expect(hashed.startsWith(hashedPrefixOf('Order'))).toBe(true);
    expect(hashed.startsWith(prefixOf('Order', 'x'))).toBe(false);
    expect(hashed.startsWith(prefixOf('Order'))).toBe(true);
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
        expect(itemInBody(bodyOf(stored, bytes))).toEqual(stored);
      }),
      { numRuns: 500 },
    );
  });

  test.each(['', '{', 'null', '{}', '{"Item":null}', '{"Item":{"a":{"X":"1"}}}'])(
    'is not %j, which is refused with the form that was expected',
    (body) => {
      const message = expect.stringContaining('Expected a body of the form {"Item":{…}}');

      expect(() => itemInBody(body)).toThrow(
        expect.objectContaining({ code: 'archive.unreadable', message }),
      );
    },
  );

  test('keeps binary that is part of a larger buffer', () => {
    const wide = new Uint8Array([9, 1, 2, 9]);
    const stored = { a: { B: wide.subarray(1, 3) }, b: { BS: [wide.subarray(0, 1)] } };

    expect(JSON.parse(bodyOf(stored, nonce))).toEqual({ Item: { a: { B: 'AQI=' }, b: { BS: ['CQ=='] } } });
  });

  test('is unique to its nonce, and still the same item', () => {
    const bytes = fc.uint8Array({ minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const stored = item({ Part: 'a' });

        expect(bodyOf(stored, a) === bodyOf(stored, b)).toBe(String(a) === String(b));
        expect(JSON.parse(bodyOf(stored, a))).toEqual(JSON.parse(bodyOf(stored, b)));
      }),
    );
    // The same bits without their leading zeros.
    expect(bodyOf({}, new Uint8Array([5, 0]))).not.toBe(bodyOf({}, new Uint8Array([2, 2])));
  });
});

test('the digest of an item is the same for the same item only, however it is spelt', () => {
  const spelled = exactNumber.chain((number) => fc.tuple(spelling(number), spelling(number)));
  fc.assert(
    fc.property(spelled, attributes, attributes, ([one, other], a, b) => {
      expect(digestOf({ a: { N: one }, b: { SS: ['x', 'y'] } })).toBe(
        digestOf({ b: { SS: ['y', 'x'] }, a: { N: other } }),
      );
      expect(digestOf(a) === digestOf(b)).toBe(canonicalMap(a) === canonicalMap(b));
      expect(digestOf(a)).toMatch(/^[0-9a-f]{64}$/);
    }),
  );
});

describe('the mark of a restored item', () => {
  const now = 1_800_000_000_000;

  test('is beside the archive, under the key of its object, and has the time of the restore', () => {
    fc.assert(
      fc.property(kind, anyKey, (name, key) => {
        expect(`archive/${restoredKeyOf(name, key).slice('restored/'.length)}`).toBe(objectKeyOf(name, key));
      }),
    );
    expect(restoredAt(restoredMark(now - 5), now)).toBe(now - 5);
  });

  test.each(['', '{}', '{"at":"yesterday"}', '{"at":-1}', 'null'])(
    'counts as set just now if it cannot be read: %s',
    (mark) => {
      expect(restoredAt(mark, now)).toBe(now);
    },
  );
});

function ofBytes(sign: string, bytes: number): string {
  return sign.repeat(Math.floor(bytes / Buffer.byteLength(sign))) || 'x';
}
