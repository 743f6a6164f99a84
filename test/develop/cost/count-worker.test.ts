import { describe, expect, test } from 'vitest';
import { countWorker } from '../../../src/develop/cost/count-worker.ts';
import type { Changes } from '../../../src/develop/cost/play-changes.ts';
import type { Item } from '../../../src/model/item.ts';
import { loadRules } from '../../fixtures/application/load-rules.ts';
import { settings } from '../../fixtures/application/stack.ts';

const registry = loadRules();
const worker = withWindow(0);

/** The worker with this batching window, in seconds. */
function withWindow(MaximumBatchingWindowInSeconds: number) {
  const Propagate = { ...settings.Propagate, MaximumBatchingWindowInSeconds };
  return { registry, stack: { ...settings, Propagate } };
}

/** Roots that change ten seconds apart. */
const roots = 20;

describe('five copies in a partition', () => {
  const changes = changesOf(incident, 5);

  test('cost a page of 2 units, the root, and the root once for each batch that comes back', async () => {
    const counts = await countWorker(worker, changes);

    expect(counts.copiesWritten).toBe(5 * roots);
    expect(counts.writeUnits).toBe(2 * 5 * roots);
    expect(counts.requests).toMatchObject({ Query: roots, BatchExecuteStatement: roots });
    // One invocation for the root, one of Archive, the others for copies that come back.
    const comeBack = counts.invocations - 2 * roots;
    expect(comeBack / roots).toBeGreaterThan(2);
    expect(comeBack / roots).toBeLessThanOrEqual(4);
    expect(counts.requests['GetItem']).toBe(roots + comeBack);
    expect(counts.readUnits).toBe(3 * roots + comeBack);
    expect(counts.sqsRequests).toBe(0);
  });

  test('share invocations within a batching window, and save no units', async () => {
    const often = { ...changes, everySeconds: 0.1 };
    const none = await countWorker(worker, often);
    const window = await countWorker(withWindow(1), often);

    expect(window.invocations).toBeLessThan(none.invocations / 2);
    expect(window.writeUnits).toBe(none.writeUnits);
  });
});

test('copies found by an index cost their own reads, the query twice, and a message', async () => {
  const counts = await countWorker(worker, changesOf(user, 5));

  expect(counts.writeUnits).toBe(2 * 5 * roots);
  expect(counts.requests).toMatchObject({ 'Query of an index': 2 * roots, BatchGetItem: roots });
  expect(counts.sqsRequests).toBe(3 * roots);
});

test('a page holds a megabyte at most', async () => {
  // 300 copies of 4 KB: 256 of them are a megabyte.
  const changes = changesOf((id, copies) => user(id, copies, 'x'.repeat(3_900)), 300, 1);

  const counts = await countWorker(worker, changes);

  expect(counts.copiesWritten).toBe(300);
  expect(counts.requests['Query of an index']).toBe(4);
});

test('records that no filter passes invoke nothing', async () => {
  const item = { PK: { S: 'AUDIT#1' }, SK: { S: 'LINE' }, Text: { S: 'before' } };
  const changes = { before: [item], after: [{ ...item, Text: { S: 'after' } }], everySeconds: 10 };

  expect((await countWorker(worker, changes)).invocations).toBe(0);
});

test('a root that cannot be projected is an error, and costs nothing', async () => {
  const { before, after } = changesOf(incident, 1, 1);
  const invalid = after.map(({ State: _, ...rest }) => rest);

  await expect(countWorker(worker, { before, after: invalid, everySeconds: 10 })).rejects.toMatchObject({
    code: 'cost.unfinished',
    message: expect.stringMatching(
      /^Expected a change that the worker propagates, but it was dead-lettered \(root\.invalid\)/,
    ),
  });
});

function changesOf(
  make: (id: string, copies: number) => { before: readonly Item[]; after: Item },
  copies: number,
  count = roots,
): Changes {
  const made = Array.from({ length: count }, (_, index) => make(String(index), copies));
  return {
    before: made.flatMap(({ before }) => before),
    after: made.map(({ after }) => after),
    everySeconds: 10,
  };
}

function incident(id: string, copies: number) {
  const said = {
    ...{ ID: { S: id }, Title: { S: 'before' }, Status: { S: 'TRIGGERED' }, State: { S: 'OPEN' } },
    ...{ Number: { N: '1' }, CreatedAt: { N: '1614194921' }, UpdatedAt: { N: '1614194921' } },
  };
  const root = { PK: { S: `acct_${id}#inc` }, SK: { S: `inc_${id}` }, ...said };
  const participation = (index: number) => ({
    ...{ PK: { S: `acct_${id}#inc_${id}#incpart` }, SK: { S: `user_${index}` }, ...said },
    ...{ ParticipantID: { S: `user_${index}` }, GSI1PK: { S: `acct_${id}#user_${index}` } },
    GSI1SK: { S: 'OPEN#2021-02-24T19:28:41Z' },
    // Near 1 KB, so that five copies are 2 units of reading.
    Note: { S: 'x'.repeat(800) },
  });
  const note = { Note: { S: 'x'.repeat(800) } };
  return {
    before: [{ ...root, ...note }, ...Array.from({ length: copies }, (_, index) => participation(index))],
    after: { ...root, ...note, Title: { S: 'after.' } },
  };
}

function user(id: string, copies: number, note = '') {
  const root = {
    ...{ PK: { S: `USER#${id}` }, SK: { S: '#METADATA' }, Type: { S: 'User' } },
    ...{ userId: { S: id }, username: { S: 'before' } },
  };
  const membership = (index: number) => ({
    ...{ PK: { S: `SERVER#${index}` }, SK: { S: `USER#${id}` }, Type: { S: 'Membership' } },
    ...{ userId: { S: id }, username: { S: 'before' }, Note: { S: note } },
    ...{ GSI1PK: { S: `USER#${id}` }, GSI1SK: { S: `SERVER#${String(index).padStart(4, '0')}` } },
  });
  return {
    before: [root, ...Array.from({ length: copies }, (_, index) => membership(index))],
    after: { ...root, username: { S: 'after.' } },
  };
}
