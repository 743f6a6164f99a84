import { readFileSync } from 'node:fs';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/model/items/item.ts';
import { fromSdk } from '../../src/worker/adapters/dynamodb/table-access.ts';
import { digestOf } from '../../src/worker/archive/object.ts';
import type { Key } from './application.ts';
import { archiveKey, digestsAt } from './archive-bucket.ts';
import { pageLimit } from './deployed-stack.setup.ts';
import { application, clients, denorm, stack } from './here.ts';
import { invoke, record, streamEvent } from './invoke.ts';
import { inAWeek, incidentItems, orderItems, userItems, voteItems } from './items.ts';
import { log } from './ministack.ts';
import { until } from './until.ts';

/** An item as the table holds it, each value with its type. */
async function stored({ PK, SK }: Key): Promise<Item> {
  const Key = { PK: { S: PK }, SK: { S: SK } };
  const request = new GetItemCommand({ TableName: stack.table, Key, ConsistentRead: true });
  const { Item = {} } = await clients.dynamoDb.send(request);
  return fromSdk(Item);
}

describe('the deployed stack', () => {
  it('copies a closed incident to its participations, and removes what it loses', async () => {
    const { root, said, copies } = incidentItems(5);
    await application.put({ ...root, ...said, Escalation: 'second level' }, ...copies);
    await application.put({ ...root, ...said, State: 'CLOSED', Status: 'RESOLVED' });
    for (const copy of copies)
      await application.holds(copy, {
        ...said,
        ...{ State: 'CLOSED', Status: 'RESOLVED', Escalation: undefined },
        ...{ GSI1SK: 'CLOSED#2021-02-24T19:28:41Z', ParticipantID: copy['ParticipantID'] },
      });
  });

  it('adds up votes for both contenders, and places them on the leaderboard', async () => {
    const { winner, loser, record } = voteItems();
    await application.put(winner, loser, record);
    await application.holds(record, { GSI1PK: loser.PK, GSI1SK: `VS#${winner.Name}` });
    for (let vote = 1; vote <= 12; vote += 1)
      await application.set(record, { Contender1Wins: vote, Contender2Wins: Math.floor(vote / 4) });
    await application.holds(winner, { Wins: 12, Losses: 3, Score: 9 });
    await application.holds(loser, { Wins: 3, Losses: 12, Score: -9 });
    // The emulator writes no record of a PartiQL update, by which the worker writes totals, but of others it does.
    for (const one of [winner, loser]) await application.set(one, { SVG: `<svg>${one.Name}</svg>` });
    await application.holds(winner, { GSI2PK: 'LEADERBOARD', GSI2SK: `1000000000009#${winner.Name}` });
    await application.holds(loser, { GSI2PK: 'LEADERBOARD', GSI2SK: `0999999999991#${loser.Name}` });

    await application.set(winner, { Score: 1_000_000 });
    await application.holds(winner, { Score: 9 });
    await application.delete(record);
    for (const one of [winner, loser]) await application.holds(one, { Wins: 0, Losses: 0, Score: 0 });
  });

  it('removes participations when their incident expires', async () => {
    const { root, said, copies } = incidentItems(2);
    await application.put(...copies);
    const expiry = record('REMOVE', root, { before: { ...said, ExpiresAt: 1 }, byService: true });
    expect(await invoke(clients, stack.functions.Propagate, streamEvent(expiry))).toEqual({
      failures: 0,
      error: undefined,
    });
    for (const copy of copies) await application.isGone(copy);
  });

  it('sweeps finished items: archives them, then sets their TTL', async () => {
    const order = orderItems(2);
    const CreatedAt = '2024-01-15T09:30:00.123456';
    const delivered = { ...order.root, ...order.said, Status: 'DELIVERED', CreatedAt };
    const userOrder = {
      ...order.userOrder,
      SK: `ORDER#${CreatedAt}`,
      ...order.userSaid,
      Status: 'DELIVERED',
    };
    const incident = incidentItems(1);
    const closed = { ...incident.root, ...incident.said, State: 'CLOSED' };
    const data = { ...incident.data, Details: '{"cause": "a secret"}' };
    await application.put(delivered, userOrder, ...order.items, closed, data, ...incident.copies);
    await application.holds(order.root, { GSI2PK: 'STATUS#DELIVERED' });
    for (const item of order.items) await application.holds(item, { GSI3SK: `SALE#${CreatedAt}` });
    for (const copy of incident.copies) await application.holds(copy, { State: 'CLOSED' });
    const swept = [
      ['Order', order.root],
      ...order.items.map((item) => ['OrderItem', item] as const),
      ['Incident', incident.root],
      ['IncidentData', incident.data],
    ] as const;
    const before = await Promise.all(swept.map(([, key]) => stored(key)));

    const counted = await denorm('sweep', '--dry-run', '--json');
    const { rules } = JSON.parse(counted.stdout.trim().split('\n').at(-1) ?? '').summary;
    const kinds = Object.assign({}, ...rules.map((rule: { kinds: object }) => rule.kinds));
    for (const [kind] of swept) expect(kinds[kind]?.swept, kind).toBeGreaterThan(0);
    expect((await application.get(order.root))?.['ExpiresAt']).toBeUndefined();

    expect(await invoke(clients, stack.functions.Sweep, {})).toMatchObject({ error: undefined });

    for (const [index, [kind, key]] of swept.entries()) {
      const { ExpiresAt } = (await application.get(key)) ?? {};
      expect(Number(ExpiresAt), kind).toBeGreaterThan(inAWeek() - 300);
      expect(Number(ExpiresAt), kind).toBeLessThanOrEqual(inAWeek());
      expect(await digestsAt(clients, stack, archiveKey(kind, key)), kind).toEqual([
        digestOf(before[index] ?? {}),
      ]);
    }
    // The emulator writes no record of a PartiQL update, by which the sweep sets the expiry, but of others it does.
    await application.set(order.root, { Note: 'seen' });
    const objectKey = archiveKey('Order', order.root);
    await until(`${objectKey} stands in the archive as it was, and with its expiry`, async () => {
      const digests = await digestsAt(clients, stack, objectKey);
      return digests.length === 2 && digests.includes(digestOf(await stored(order.root)));
    });
    for (const copy of [userOrder, ...incident.copies])
      expect((await application.get(copy))?.['ExpiresAt']).toBeUndefined();
  });

  it('sends a fan-out of more than a page through the queue, with and without an index', async () => {
    const incident = incidentItems(pageLimit * 6);
    await application.putMany([{ ...incident.root, ...incident.said }, ...incident.copies]);
    const user = userItems(pageLimit * 4);
    await application.putMany([{ ...user.root, ...user.said }, ...user.copies]);
    await application.set(incident.root, { Title: 'Once more' });
    await application.set(user.root, { username: 'known' });
    for (const copy of incident.copies) await application.holds(copy, { Title: 'Once more' });
    for (const copy of user.copies) await application.holds(copy, { username: 'known' });
    await until('the queue is empty', async () => {
      const { Attributes = {} } = await clients.sqs.send(
        new GetQueueAttributesCommand({ QueueUrl: stack.fanOutQueue, AttributeNames: ['All'] }),
      );
      return Attributes['ApproximateNumberOfMessages'] === '0';
    });
  });

  it('verifies its table, and logs the key of a wrong copy', async () => {
    // Its incident is not there, and no policy of the rule keeps it.
    const { copies } = incidentItems(1);
    await application.put(...copies);

    expect(await invoke(clients, stack.functions.Verify, {})).toMatchObject({ error: undefined });

    await until('the orphan is told of', async () => {
      const lines = readFileSync(log, 'utf8').split('\n');
      return lines.some((line) => line.includes('"kind":"orphan"') && line.includes(String(copies[0]?.PK)));
    });
    expect(readFileSync(log, 'utf8')).toMatch(/"DriftFound":\s*[1-9]/);
  });

  it('logs rules and keys, and no item content', () => {
    const said = readFileSync(log, 'utf8');
    expect(said).toContain('"rule":"incident-on-participations"');
    for (const content of ['a secret', 'Application error rate', '@example.com', 'Once more'])
      expect(said.includes(content), content).toBe(false);
  });
});
