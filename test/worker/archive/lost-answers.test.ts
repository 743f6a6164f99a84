import { describe, expect, test } from 'vitest';
import { ModelArchive } from '../../../src/develop/testing/table-model/model-archive.ts';
import { TransientError } from '../../../src/model/errors.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { archiveState } from '../../../src/worker/archive/archive-item.ts';
import { eraseUpTo } from '../../../src/worker/archive/erasure.ts';
import {
  digestOf,
  erasureNoteKeyOf,
  finalObjectKeyOf,
  objectKeyOf,
} from '../../../src/worker/archive/object.ts';
import { putOnce } from '../../../src/worker/archive/put-once.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { ticket as kind } from '../../fixtures/cruises/cruise-kinds.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';

const ticket = aTicket({ EndsAt: 1_000 });
const key = keyIn(ticket);
const objectKey = objectKeyOf('Ticket', key);
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

/** The outcomes of the last archiving in a cruise whose records are redelivered until they are acknowledged. */
async function archiveAll({ worker }: CruiseArchive): Promise<(string | undefined)[]> {
  const records = worker.archiveStream.take();
  for (let failed = 1; failed > 0; ) failed = (await archiveBatch(worker.archiveContext, records)).size;
  return worker.telemetry.archivings.map(({ outcome }) => outcome);
}

const faults = [
  'stored, and answered 412',
  'stored, and not answered',
  'not stored, and answered 409',
] as const;

describe.each(faults)('a put that is %s', (fault) => {
  test('leaves an item archived once', async () => {
    const cruise = new CruiseArchive();
    firstPut(cruise.worker.archive, 'archive/', fault);
    cruise.table.put(ticket);

    const outcomes = await archiveAll(cruise);

    expect(cruise.worker.archive.versions(objectKey)).toHaveLength(1);
    expect(cruise.worker.archive.current(objectKey)?.digest).toBe(digestOf(ticket));
    expect(outcomes).toEqual([fault === 'stored, and not answered' ? 'unchanged' : 'stored']);
  });

  test('leaves the last state of an item archived once', async () => {
    const cruise = new CruiseArchive();
    cruise.table.put(ticket);
    cruise.worker.archiveStream.take();
    cruise.table.expire(key);
    firstPut(cruise.worker.archive, 'archive/', fault);

    await archiveAll(cruise);

    const finalKey = finalObjectKeyOf(objectKey, cruise.table.history.at(-1)?.sequence ?? 0n);
    expect(cruise.worker.archive.versions(finalKey)).toHaveLength(1);
    expect(cruise.worker.archive.current(finalKey)?.digest).toBe(digestOf(ticket));
  });

  test.each(['archive/', 'manifests/'])(
    'below %s leaves a batch and its manifest archived once',
    async (prefix) => {
      const cruise = new CruiseArchive({ layout: 'batch' });
      const { archive } = cruise.worker;
      firstPut(archive, prefix, fault);
      cruise.table.put(ticket);

      await archiveAll(cruise);

      expect(archive.keysBelow('archive/').map((at) => archive.versions(at).length)).toEqual([1]);
      expect(archive.keysBelow('manifests/').map((at) => archive.versions(at).length)).toEqual([1]);
    },
  );

  test('leaves a swept item archived once', async () => {
    const cruise = new CruiseArchive();
    const { archive, archiveContext } = cruise.worker;
    cruise.table.put(ticket);
    firstPut(archive, 'archive/', fault);
    const [rule] = archiveContext.registry.archives;
    if (rule === undefined) throw new Error('Expected a rule');

    const asked = () => archiveState(archiveContext, { rule, kind, key });
    const { report } = await asked().catch(asked);

    expect(report.outcome).toBe(fault === 'stored, and not answered' ? 'unchanged' : 'stored');
    expect(archive.versions(objectKey)).toHaveLength(1);
  });

  test('leaves the note of an erasure once', async () => {
    const archive = new ModelArchive();
    firstPut(archive, 'erased/', fault);

    const erase = () => eraseUpTo(archive, objectKey, 7n, nonce);
    await erase().catch(erase);

    expect(archive.versions(erasureNoteKeyOf(objectKey))).toMatchObject([{ sequence: 7n }]);
  });

  test('leaves nothing of an item that was erased in the meantime', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    const { archive } = cruise.worker;
    cruise.table.put(ticket);
    // The deletion’s own record is processed before the put takes effect: it erases nothing, and leaves its note.
    firstPut(archive, 'archive/', fault, async () => {
      cruise.table.delete(key);
      await eraseUpTo(archive, objectKey, cruise.table.history.at(-1)?.sequence ?? 0n, nonce);
    });

    await archiveAll(cruise);

    expect(archive.keys()).toEqual([]);
  });

  test('leaves nothing of an item that was erased during its sweep', async () => {
    const cruise = new CruiseArchive({ onDelete: 'erase' });
    const { archive, archiveContext } = cruise.worker;
    cruise.table.put(ticket);
    const [rule] = archiveContext.registry.archives;
    if (rule === undefined) throw new Error('Expected a rule');
    firstPut(archive, 'archive/', fault, async () => {
      cruise.table.delete(key);
      await eraseUpTo(archive, objectKey, cruise.table.history.at(-1)?.sequence ?? 0n, nonce);
    });

    const asked = () => archiveState(archiveContext, { rule, kind, key });
    expect((await asked().catch(asked)).item).toBeUndefined();

    expect(archive.keys()).toEqual([]);
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
    archive.put = async () => false;

    await expect(putOnce(archive, 'archive/a.json', object, undefined)).rejects.toMatchObject({
      code: 'archive.contended',
    });
  });

  test.each([
    ['a manifest', 'manifests/', 'batch'],
    ['a last state', 'archive/', 'object'],
  ] as const)('in place of %s is replaced when the record is delivered again', async (_, prefix, layout) => {
    const cruise = new CruiseArchive({ layout });
    const { archive, archiveContext, archiveStream } = cruise.worker;
    cruise.table.put(ticket);
    archiveStream.take();
    cruise.table.expire(key);
    const records = archiveStream.take();
    await archiveBatch(archiveContext, records);
    const [where = ''] = archive.keysBelow(prefix);
    const ours = archive.current(where);
    await archive.put(where, { body: 'theirs', digest: 'd2' }, ours?.etag);

    await archiveBatch(archiveContext, records);

    expect(archive.current(where)?.digest).toBe(ours?.digest);
    expect(archive.versions(where).map(({ digest }) => digest)).toEqual([ours?.digest, 'd2', ours?.digest]);
  });
});
