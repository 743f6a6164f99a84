import { describe, expect, test } from 'vitest';
import { TransientError } from '../../../src/model/basics/errors.ts';
import type { ArchiveRuleSpec } from '../../../src/model/rules/archive-rule.ts';
import { ModelArchive } from '../../../src/testing/table-model/model-archive.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { eraseUpTo } from '../../../src/worker/archive/erasure.ts';
import {
  digestOf,
  erasureNoteKeyOf,
  finalObjectKeyOf,
  objectKeyOf,
} from '../../../src/worker/archive/object.ts';
import { putOnce } from '../../../src/worker/archive/put-once.ts';
import { boundKind } from '../../fixtures/model/bound.ts';
import { WorldArchive } from '../../fixtures/world/archive.ts';
import { anOrder } from '../../fixtures/world/items.ts';
import { order as kind } from '../../fixtures/world/kinds.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const order = anOrder({ EndsAt: 1_000 });
const key = keyIn(order);
const objectKey = objectKeyOf('Order', key);
const nonce = new Uint8Array(8);

/** How the first put below a prefix fails. */
type Fault =
  /** It takes effect, its answer is lost, and its retry finds the first put. */
  | 'stored, and answered 412'
  /** It takes effect, and no attempt is answered: the record is delivered again. */
  | 'stored, and not answered'
  /** A concurrent deletion: nothing is stored, and the condition fails all the same. */
  | 'not stored, and answered 409';

/** Makes the first put below a prefix fail. @param before run just before it takes effect */
function firstPut(archive: ModelArchive, prefix: string, fault: Fault, before = async () => {}): void {
  const put = archive.put.bind(archive);
  let done = false;
  archive.put = async (where, object, replaces) => {
    if (done || !where.startsWith(prefix)) return put(where, object, replaces);
    done = true;
    await before();
    if (fault !== 'not stored, and answered 409') await put(where, object, replaces);
    if (fault === 'stored, and not answered')
      throw new TransientError('aws.timeout', 'PutObject was not answered');
    return false;
  };
}

const faults = [
  'stored, and answered 412',
  'stored, and not answered',
  'not stored, and answered 409',
] as const;

describe.each(faults)('a put that is %s', (fault) => {
  const outcome = fault === 'stored, and not answered' ? 'unchanged' : 'stored';

  /** An archive in whose table an order was put, and whose first put below a prefix fails. */
  function failing(spec: Partial<ArchiveRuleSpec> = {}, prefix = 'archive/') {
    const world = new WorldArchive(spec);
    world.table.put(order);
    firstPut(world.objects, prefix, fault);
    return world;
  }

  test('leaves an item archived once, and its last state', async () => {
    const world = failing();
    await archiveAll(world);
    expect(world.objects.versions(objectKey)).toMatchObject([{ digest: digestOf(order) }]);
    expect(world.outcomes()).toEqual([outcome]);

    const ended = failing();
    ended.records();
    ended.table.expire(key);
    await archiveAll(ended);
    const finalKey = finalObjectKeyOf(objectKey, ended.youngest());
    expect(ended.objects.versions(finalKey)).toMatchObject([{ digest: digestOf(order) }]);
  });

  test.each(['archive/', 'manifests/'])('below %s leaves a batch archived once', async (prefix) => {
    const world = failing({ layout: 'batch' }, prefix);
    await archiveAll(world);

    for (const below of ['archive/', 'manifests/'])
      expect(world.objects.keysBelow(below).map((at) => world.objects.versions(at).length)).toEqual([1]);
  });

  test('leaves a swept item archived once', async () => {
    const world = failing();

    expect((await sweptInto(world)).report.outcome).toBe(outcome);
    expect(world.objects.versions(objectKey)).toHaveLength(1);
  });

  test('leaves the note of an erasure once', async () => {
    const archive = new ModelArchive();
    firstPut(archive, 'erased/', fault);
    const erase = () => eraseUpTo(archive, objectKey, 7n, nonce);
    await erase().catch(erase);

    expect(archive.versions(erasureNoteKeyOf(objectKey))).toMatchObject([{ sequence: 7n }]);
  });
});

describe('an object that another program has put', () => {
  const object = { body: 'ours', digest: 'd1', sequence: 7n };

  test.each([
    ['with another digest', { ...object, digest: 'd2' }],
    ['for another record', { ...object, sequence: 6n }],
  ])('%s is not mistaken for our own put, and stays as a version', async (_, other) => {
    const archive = new ModelArchive();
    await archive.put('archive/a.json', { ...other, body: 'theirs' }, undefined);

    await putOnce(archive, 'archive/a.json', object, undefined);

    expect(archive.versions('archive/a.json').map(({ body }) => body)).toEqual(['theirs', 'ours']);
  });

  test('again and again is reported, and not taken for success', async () => {
    const archive = new ModelArchive();
    let theirs = 0;
    archive.put = async (objectKey, _, replaces) => {
      theirs += 1;
      archive.store(objectKey, { ...object, body: `${theirs}`, digest: 'd2' }, replaces);
      return false;
    };

    await expect(putOnce(archive, 'archive/a.json', object, undefined)).rejects.toMatchObject({
      code: 'archive.contended',
      message:
        'Expected to put archive/a.json, lost its condition 8 times, because another writer had changed the object: try again later',
    });
  });
});

describe('a put that the server refuses although nobody else writes', () => {
  const object = { body: 'ours', digest: 'd1', sequence: 7n };

  test.each([
    ['the object was missing', false],
    ['the object was unchanged', true],
  ])('is reported with what was seen: %s', async (seen, exists) => {
    const archive = new ModelArchive();
    if (exists) await archive.put('archive/a.json', { ...object, digest: 'd2' }, undefined);
    archive.put = async () => false;
    const put = putOnce(archive, 'archive/a.json', object, archive.current('archive/a.json')?.etag);

    await expect(put).rejects.toMatchObject({
      code: 'archive.contended',
      message: `Expected to put archive/a.json, lost its condition 8 times, 7 of them although ${seen}, as the server said: check that it supports conditional puts as S3 does`,
    });
  });

  test('is never called a change of the item', async () => {
    const world = new WorldArchive();
    world.objects.put = async () => false;
    world.table.put(order);

    const [error] = (await world.archive()).values();
    expect(error).toMatchObject({
      message: expect.stringMatching(/7 of them although the object was missing/),
    });
  });
});

/** Delivers all records until they are acknowledged. */
async function archiveAll(world: WorldArchive): Promise<void> {
  const records = world.records();
  while ((await world.archive(records)).size > 0);
}

/** Archives the order as a sweep does, which tries a second time. */
function sweptInto({ worker: { archiveContext } }: WorldArchive) {
  const [rule] = archiveContext.registry.archives;
  if (rule === undefined) throw new Error('Expected a rule');
  const sweep = () => archiveState(archiveContext, { rule, kind: boundKind(kind), key, sequence: 0n });
  return sweep().catch(sweep);
}
