import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterAll } from '../../../src/model/items/change.ts';
import {
  type BatchLine,
  batchNameOf,
  batchObjectKeyOf,
  manifestKeyOf,
  manifestPrefixOf,
  manifestText,
  readManifest,
  readManifestKey,
} from '../../../src/worker/archive/batch-object.ts';
import { readObjectKey } from '../../../src/worker/archive/object.ts';
import { itemKey } from '../../fixtures/model/arbitraries.ts';

const line: BatchLine = { key: { pk: 'ORDER#1', sk: 'METADATA' }, digest: 'd1', sequence: 12n, final: false };
const noon = Date.UTC(2026, 10, 21, 12);

describe('the name of a batch', () => {
  test.each(['Order', 'a/b', '..', '§'])('is read back from the keys of kind %j', (kind) => {
    const batch = batchNameOf(kind, [line], noon);

    expect(readManifestKey(manifestKeyOf(batch))).toEqual(batch);
    expect(readObjectKey(batchObjectKeyOf(batch))).toEqual({ holds: 'batch', ...batch });
    expect(manifestKeyOf(batch).startsWith(manifestPrefixOf(kind))).toBe(true);
  });

  test('stays the same, so that a batch which is delivered again has the name it had', () => {
    const name = '0224479d1ccb4de89bb6894c3954dbca85af2c58';
    const batch = batchNameOf('Order', [line], noon);

    expect(batchObjectKeyOf(batch)).toBe(`archive/Order/dt=2026-11-21/${name}.ndjson.gz`);
    expect(manifestKeyOf(batch)).toBe(`manifests/Order/dt=2026-11-21/${name}.json`);
  });

  test.each([
    [Date.UTC(2026, 10, 21, 23, 59, 59, 999), '2026-11-21'],
    [undefined, '1970-01-01'],
  ])('has the UTC day of its records, and the earliest possible one for none: %j', (at, day) => {
    expect(batchNameOf('Order', [line], at).day).toBe(day);
  });

  test.each([
    'manifests/Order/dt=2026-11-21/xyz.json',
    'manifests/Order/dt=2026-11-21/abc.json.gz',
    'manifests/Order/abc.json',
    'manifests/%zz/dt=2026-11-21/abc.json',
    'old/manifests/Order/dt=2026-11-21/abc.json',
    'archive/Order/a/b.json',
  ])('is not read from %j', (key) => {
    expect(readManifestKey(key)).toBeUndefined();
  });
});

describe('a manifest', () => {
  test('returns its lines', () => {
    const anyLine = fc.record({
      key: itemKey,
      digest: fc.string(),
      sequence: fc.bigInt({ min: 0n, max: afterAll }),
      final: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyLine), (lines) => {
        expect(readManifest('manifests/a', manifestText(lines))).toEqual(lines);
      }),
    );
  });

  test.each(['{', '{"pk":1}\n', 'null\n'])('that contains %j is refused, without its content', (text) => {
    expect(() => readManifest('manifests/a', text)).toThrow(
      expect.objectContaining({
        code: 'archive.unreadable',
        message: expect.stringContaining('Expected manifests/a'),
        cause: expect.any(Error),
      }),
    );
  });
});
