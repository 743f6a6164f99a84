import { readFileSync } from 'node:fs';
import { GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, inject, it } from 'vitest';
import { applicationOf } from './application.ts';
import { archiveKey, objectAt } from './archive-bucket.ts';
import { pageLimit } from './deployed-stack.setup.ts';
import { invoke, record, streamEvent } from './invoke.ts';
import { incidentItems, orderItems, userItems } from './items.ts';
import { log } from './ministack.ts';
import { clientsOf } from './stack.ts';
import { until } from './until.ts';

const stack = inject('stack');
const clients = clientsOf(inject('cloud'));
const application = applicationOf(clients, stack.table);

describe('the deployed stack', () => {
  it('brings a closed incident to its participations, and what it loses they lose', async () => {
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

  it('removes the participations of an incident that is deleted', async () => {
    const { root, said, copies } = incidentItems(3);
    await application.put({ ...root, ...said }, ...copies);
    await application.delete(root);
    for (const copy of copies) await application.isGone(copy);
  });

  it('brings a new username to every membership', async () => {
    const { root, said, copies } = userItems(6);
    await application.put({ ...root, ...said }, ...copies);
    await application.set(root, { username: 'renamed' });
    for (const copy of copies) await application.holds(copy, { username: 'renamed', role: 'member' });
  });

  it("derives the keys of an order and its items, and brings its status to the user's order", async () => {
    const { root, said, userOrder, userSaid, items, CreatedAt } = orderItems(2);
    await application.put({ ...root, ...said }, { ...userOrder, ...userSaid }, ...items);
    await application.holds(root, { GSI2PK: 'STATUS#PENDING', GSI2SK: `ORDER#${CreatedAt}` });
    for (const item of items)
      await application.holds(item, { GSI3PK: `PRODUCT#${item.ProductId}`, GSI3SK: `SALE#${CreatedAt}` });
    await application.set(root, { Status: 'SHIPPED' });
    await application.holds(root, { GSI2PK: 'STATUS#SHIPPED' });
    await application.holds(userOrder, { Status: 'SHIPPED', Total: 119.94 });
  });

  it('archives an order that is going to expire, in its storage class', async () => {
    const { root, said } = orderItems(0);
    await application.put({ ...root, ...said, ExpiresAt: Math.floor(Date.now() / 1000) + 604_800 });
    const key = archiveKey('Order', root);
    const object = await until(`${key} stands in the archive`, () => objectAt(clients, stack, key));
    expect(object.StorageClass).toBe('GLACIER');
    expect(object.Metadata?.['digest']).toMatch(/\S/);
  });

  it('keeps the last state of an item that expired before it was archived so', async () => {
    const { root, said } = incidentItems(0);
    const last = record('REMOVE', root, { before: { ...said, ExpiresAt: 1 }, byService: true });
    expect(await invoke(clients, stack.functions.Archive, streamEvent(last))).toEqual({
      failures: 0,
      error: undefined,
    });
    const key = `${archiveKey('Incident', root)}.${last.dynamodb.SequenceNumber}`;
    const object = await until(`${key} stands in the archive`, () => objectAt(clients, stack, key));
    expect(object.StorageClass).toBe('GLACIER');
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

  it('carries a fan-out of more than a page through the queue, with or without an index', async () => {
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

  it('parks an incident that cannot be projected in the dead-letter queue, without its content', async () => {
    const { root, said, copies } = incidentItems(1);
    const { State: _, ...stateless } = said;
    await application.put(...copies, { ...root, ...stateless, Title: 'a secret' });
    const parked = await until(`${root.SK} is parked`, async () => {
      const { Messages = [] } = await clients.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: stack.deadLetterQueue,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: 1,
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.find(({ Body = '' }) => Body.includes(root.SK));
    });
    expect(JSON.parse(parked.Body ?? '')).toMatchObject({ code: 'root.unprojectable' });
    expect(parked.MessageAttributes?.['rule']?.StringValue).toBe('incident-on-participations');
    expect(parked.Body).not.toContain('a secret');
  });

  it('says in its logs which rule and which keys, and nothing of what items hold', () => {
    const said = readFileSync(log, 'utf8');
    expect(said).toContain('"rule":"incident-on-participations"');
    for (const content of ['a secret', 'Application error rate', '@example.com', 'Once more'])
      expect(said.includes(content), content).toBe(false);
  });
});
