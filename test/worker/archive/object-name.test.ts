import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sequenceDigits } from '../../../src/model/change.ts';
import {
  finalObjectKeyOf,
  hashedPrefixOf,
  isHashed,
  objectKeyOf,
  prefixOf,
  readObjectKey,
} from '../../../src/worker/archive/object.ts';
import { itemKey, keyPart } from '../../fixtures/model/arbitraries.ts';

const kind = fc.constantFrom('Order', 'IncidentData', 'a/b', 'dt=2026-01-01', '..', 'é');

describe('readObjectKey', () => {
  test('returns the kind and the key of an item, whatever they are', () => {
    fc.assert(
      fc.property(kind, itemKey, (name, key) => {
        expect(readObjectKey(objectKeyOf(name, key))).toEqual({
          holds: 'item',
          kind: name,
          key,
          final: undefined,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('returns the record of a last state', () => {
    fc.assert(
      fc.property(
        kind,
        itemKey,
        fc.bigInt({ min: 0n, max: 10n ** BigInt(sequenceDigits) - 1n }),
        (name, key, final) => {
          const objectKey = finalObjectKeyOf(objectKeyOf(name, key), final);

          expect(readObjectKey(objectKey)).toEqual({ holds: 'item', kind: name, key, final });
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test('marks a hashed key as one', () => {
    const objectKey = objectKeyOf('Order', { pk: 'x'.repeat(2_000), sk: 'y' });

    expect([objectKey, finalObjectKeyOf(objectKey, 12n)].map(isHashed)).toEqual([true, true]);
    expect(isHashed(objectKeyOf('%sha256', { pk: '%sha256', sk: '%sha256' }))).toBe(false);
    expect(readObjectKey(finalObjectKeyOf(objectKey, 12n))).toEqual({
      holds: 'hashed item',
      kind: 'Order',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      final: 12n,
    });
  });

  test('returns the batch of a key', () => {
    expect(readObjectKey('archive/Order/dt=2026-11-21/0123abc.ndjson.gz')).toEqual({
      holds: 'batch',
      kind: 'Order',
      day: '2026-11-21',
      name: '0123abc',
    });
  });

  test.each([
    '',
    'archive/Order/a.json',
    'archive/Order/a/b.json/c.json',
    'archive/Order/a/b',
    'archive/Order/a/.json',
    'archive/Order//b.json',
    'archive/Order/a/\nb.json',
    'archive/Order/a/b.json.',
    'archive/Order/a/b.json.1x',
    'archive/Order/a#/b.json',
    'archive/Order/%zz/b.json',
    'archive/Order/a/%zz.json',
    'archive/Order/../b.json',
    'archive/Order/%41/b.json',
    'archive/Order/%sha256/abc.json',
    `archive/Order/%sha256/x${'a'.repeat(64)}.json`,
    `archive/Order/%sha256/${'a'.repeat(64)}x.json`,
    `archive/%zz/%sha256/${'a'.repeat(64)}.json`,
    'archive/Order/dt=2026-11-21/abc.json',
    'archive/Order/dt=2026-11-21/xabc.ndjson.gz',
    'archive/Order/dt=2026-11-21/abc.ndjson.gz.1',
    'archive/Order/xdt=2026-11-21/abc.ndjson.gz',
    'archive/Order/dt=2026-11-21x/abc.ndjson.gz',
    'archive/%zz/dt=2026-11-21/abc.ndjson.gz',
    'manifests/Order/a/b.json',
    'restored/Order/a/b.json',
  ])('returns nothing for %j, which no item has', (objectKey) => {
    expect(readObjectKey(objectKey)).toBeUndefined();
  });
});

describe('prefixOf', () => {
  test('is the beginning of the keys of all items with that beginning of their partition keys', () => {
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

  test.each(['', '.', '..', '...'])(
    'is the same for %j: keys that are dots only look different',
    (begins) => {
      expect(prefixOf('Order', begins)).toBe('archive/Order/');
    },
  );

  test('gives hashed keys a separate prefix', () => {
    const objectKey = objectKeyOf('Order', { pk: 'x'.repeat(2_000), sk: 'y' });

    expect(objectKey.startsWith(hashedPrefixOf('Order'))).toBe(true);
    expect(objectKey.startsWith(prefixOf('Order', 'x'))).toBe(false);
    expect(objectKey.startsWith(prefixOf('Order'))).toBe(true);
  });
});
