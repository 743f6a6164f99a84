import { describe, expect, test } from 'vitest';
import { lambdaChange } from '../../../src/develop/testing/table-model/lambda-change.ts';
import { claimsOfEnds } from '../../../src/operate/archive/audit/claim.ts';
import { classifyObjects } from '../../../src/operate/archive/audit/classify-objects.ts';
import { readStreamRecord } from '../../../src/worker/adapters/stream-record.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { CruiseArchive } from '../../fixtures/cruises/cruise-archive.ts';
import { aTicket } from '../../fixtures/cruises/cruise-items.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const expiring = aTicket({ EndsAt: 1_000 });
const later = aTicket({ EndsAt: 2_000 });
const key = keyIn(expiring);
const lastState = expect.stringMatching(/\.json\.\d+$/);

/** A table whose stream is disabled and enabled again: the new stream has a later label, and lower numbers. */
class TwoStreams extends CruiseArchive {
  private taken = 0;

  first(): StreamRecord[] {
    return this.take('2026-11-23T10:00:00.000', 0n);
  }

  second(): StreamRecord[] {
    return this.take('2026-11-23T10:30:00.000', 100_000_000_000_000_000_000n);
  }

  async outcomesOf(records: readonly StreamRecord[]): Promise<string[]> {
    const before = this.outcomes().length;
    expect([...(await this.archive(records))]).toEqual([]);
    return this.outcomes().slice(before);
  }

  private take(label: string, lower: bigint): StreamRecord[] {
    const changes = this.table.history.slice(this.taken);
    this.taken = this.table.history.length;
    return changes.map((change, index) => {
      const record = lambdaChange(table, { ...change, sequence: change.sequence - lower });
      const eventSourceARN = `arn:aws:dynamodb:eu-central-1:123456789012:table/app/stream/${label}`;
      const says = readStreamRecord(table, { ...record, eventSourceARN }, { globalTableReplica: false });
      return { id: String(index), says };
    });
  }
}

describe('after a stream was enabled again', () => {
  test('a deletion erases what was archived for records of the first stream', async () => {
    const cruise = new TwoStreams({ onDelete: 'erase' });
    cruise.table.put(expiring);
    await cruise.archive(cruise.first());
    cruise.table.delete(key);

    expect(await cruise.outcomesOf(cruise.second())).toEqual(['erased']);
    expect(cruise.objects.keys()).toEqual([]);
  });

  test('an erasure in the first stream leaves the last state of a new item alone, and reports one that is lost', async () => {
    const cruise = new TwoStreams({ onDelete: 'erase' });
    cruise.table.put(expiring);
    cruise.table.delete(key);
    await cruise.archive(cruise.first());
    cruise.table.put(later);
    cruise.table.expire(key);
    const records = cruise.second();
    const changes = records.flatMap(({ says }) => ('unreadable' in says ? [] : [says]));
    const [claim, ...others] = claimsOfEnds(cruise.worker.archiveContext.registry, changes);

    expect(others).toEqual([]);
    const lookup = { reader: cruise.reader(), table, concurrency: 1 };
    const classified = await classifyObjects(lookup, claim === undefined ? [] : [claim]);
    expect([...classified.values()]).toMatchObject([{ is: 'lost' }]);
    expect(await cruise.outcomesOf(records)).toEqual(['final']);
    expect(cruise.objects.keys()).toEqual([lastState]);
  });
});
