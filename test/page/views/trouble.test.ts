import { expect, test } from 'vitest';
import application from '../../../denorm.config.ts';
import { deadLetterFolder } from '../../../src/dev/queue/dead-letter-folder.ts';
import type { PropagationReport } from '../../../src/model/work/report.ts';
import { dropFailures, failuresView, redriveFailures, verify } from '../../../src/page/views/trouble.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { aContender, aMatch, contenderTotals } from '../../fixtures/world/totals.ts';
import { newFolder } from '../../suites/new-folder.ts';

const registry = application.registry();
const message = {
  rule: 'username-on-memberships',
  root: { pk: 'USER#1', sk: '#METADATA' },
  cause: 'changed',
  attempts: 0,
};
const deadLetter = JSON.stringify({ code: 'item.invalid', reason: 'It is', message });

const failedAgain: PropagationReport = {
  ...{ rule: message.rule, root: message.root, cause: 'changed', recheck: false, written: 0, removed: 0 },
  ...{ unchanged: 0, lost: 0, orphans: 0, foreign: 0, deadLettered: 1, requeued: 0, narrowed: 0, skipped: 0 },
  ...{ absent: 0, pace: undefined, changedAt: undefined },
};

test('a drop leaves the dead letters that came after its row was shown', async () => {
  const reader = deadLetterFolder(newFolder());
  await reader.add(deadLetter, 1_000);
  await reader.add(deadLetter, 2_000);
  const [{ id = '', newest = 0 } = {}] = (await failuresView(reader, registry)).failures;
  await reader.add(deadLetter, 3_000);

  expect(await dropFailures(reader, { ids: [id], newest })).toMatchObject({
    text: '2 dead letters dropped.',
  });
  expect((await failuresView(reader, registry)).failures).toMatchObject([{ count: 1, newest: 3_000 }]);
});

test('what is gone already is not redriven, and that is no success', async () => {
  const { queue } = new ModelWorker(registry);
  const reader = deadLetterFolder(newFolder());

  expect(await redriveFailures({ reader, registry, queue }, ['gone'])).toEqual({
    ...{ text: 'Nothing redriven: it is gone already.', isGood: false },
  });
});

test('a row says whether its item is there, whatever its key is', async () => {
  const { port, table, context } = new ModelWorker(registry);
  table.put(itemOf({ PK: 'USER#2', SK: '#METADATA', Type: 'User', userId: '2', username: 'Ada' }));
  const reader = deadLetterFolder(newFolder());
  const nows = async () =>
    (await failuresView(reader, registry, { source: { ...context, table: port } })).failures.map(
      ({ now }) => now,
    );
  for (const [at, pk] of ['USER#1', 'USER#2'].entries())
    await reader.add(deadLetter.replace('USER#1', pk), 1_000 + at);

  expect(await nows()).toEqual(['would succeed', 'item is gone']);
  port.before = () => {
    throw new Error('no key');
  };
  expect(await nows()).toEqual(['cannot be told', 'cannot be told']);
});

test('a row names the copies, and says when it can be dropped', async () => {
  const { port, table, context } = new ModelWorker(registry);
  const reader = deadLetterFolder(newFolder());
  const root = itemOf({ PK: 'USER#1', SK: '#METADATA', Type: 'User', userId: '1', username: 'Ada' });
  const key = { pk: 'SERVER#4', sk: 'USER#1' };
  const copy = (userId: string | number) =>
    itemOf({
      ...{ PK: key.pk, SK: key.sk, Type: 'Membership', userId, username: 'Ada' },
      ...{ GSI1PK: 'USER#1', GSI1SK: key.pk },
    });
  await reader.add(
    JSON.stringify({ ...JSON.parse(deadLetter), message: { ...message, copies: [key] } }),
    2_000,
  );
  const about = { rule: message.rule, key };
  await reader.add(JSON.stringify({ code: 'copy.invalid', reason: 'It is', about }), 1_000);
  const rows = async () =>
    (await failuresView(reader, registry, { source: { ...context, table: port } })).failures.map(
      ({ copies, now }) => [copies, now],
    );
  for (const item of [root, copy(5)]) table.put(item);
  expect(await rows()).toEqual([
    [[key], 'would fail again'],
    [[], 'is still invalid: correct the item'],
  ]);
  table.put(copy('1'));

  expect(await rows()).toEqual([
    [[key], 'is right: drop it'],
    [[], 'is right: drop it'],
  ]);
});

test('a redrive tells the dead letters from the items that they are about', async () => {
  const { queue } = new ModelWorker(registry);
  const reader = deadLetterFolder(newFolder());
  for (const at of [1_000, 2_000, 3_000]) await reader.add(deadLetter, at);
  const [{ id = '' } = {}] = (await failuresView(reader, registry)).failures;
  const hear = (hears: (report: PropagationReport) => void) => {
    setImmediate(() => hears(failedAgain));
    return () => {};
  };

  expect((await redriveFailures({ reader, registry, queue, hear }, [id])).text).toBe(
    '3 dead letters of 1 item redriven: 1 failed again, with a new dead letter.',
  );
});

test('the page compares the totals of aggregates too', async () => {
  const items = [aContender('a', { Points: 99 }), aContender('b'), aMatch('a', 'b')];
  const { registry, port, scan } = new WorldSearch(items, contenderTotals);
  const { copies, drift } = await verify(registry, port, scan);

  expect(copies).toBe(2);
  expect(drift.map(({ rule, copy, what }) => [rule, copy.pk, what]).toSorted()).toEqual([
    ['contender-totals', 'CONTENDER#a', expect.stringContaining('Points')],
    ['contender-totals', 'CONTENDER#b', expect.stringContaining('Points')],
  ]);
});
