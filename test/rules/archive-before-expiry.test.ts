import { describe, expect, test } from 'vitest';
import { keyOf } from '../../src/domain/item.ts';
import { item } from '../domain/fixtures/items.ts';
import { ModelWorker } from '../model/model-worker.ts';
import { only } from './fixtures/only.ts';
import { anOrder, anOrderItem, aProfile, aUserOrder } from './fixtures/shop.ts';

const registry = only('archive-before-expiry');
const incident = item({ PK: 'acct_1#inc', SK: 'inc_2', State: 'CLOSED', CreatedAt: 1 });
const incidentData = item({ PK: 'acct_1#inc_2', SK: 'data', Details: '{}' });

describe('archiving before expiry', () => {
  test.each([
    [incident, 'archive/Incident/acct_1%23inc/inc_2.json'],
    [incidentData, 'archive/IncidentData/acct_1%23inc_2/data.json'],
    [anOrder(), 'archive/Order/ORDER%23o-1001/METADATA.json'],
    [anOrderItem(), 'archive/OrderItem/ORDER%23o-1001/ITEM%23p-7.json'],
    [aProfile(), 'archive/UserProfile/USER%2342/PROFILE.json'],
  ])('keeps what comes back from nowhere else: $PK.S $SK.S', async (stored, objectKey) => {
    const worker = new ModelWorker(registry);
    worker.table.put({ ...stored, ExpiresAt: { N: '1' } });

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([objectKey]);
    expect(JSON.parse(worker.archive.current(objectKey)?.body ?? '')).toEqual({
      Item: { ...stored, ExpiresAt: { N: '1' } },
    });
  });

  test.each([
    item({ PK: 'acct_1#inc_2#incpart', SK: 'team_3' }),
    item({ PK: 'SERVER#1', SK: 'USER#1', Type: 'Membership' }),
    aUserOrder(),
    item({ PK: 'user-1', SK: 'token-1', matchup: 'bear§books' }),
    item({ PK: 'user-1', SK: 'matchups', Seen: new Set(['bear§books']) }),
    item({ PK: 'bear', SK: 'metadata', Score: 1 }),
  ])('does not keep copies, vote tokens and what it does not know: $PK.S $SK.S', async (stored) => {
    const worker = new ModelWorker(registry);
    worker.table.put({ ...stored, ExpiresAt: { N: '1' } });
    worker.table.expire(keyOf(registry.table, stored) ?? { pk: '', sk: '' });

    await worker.archiveRest();

    expect(worker.archive.keys()).toEqual([]);
  });
});
