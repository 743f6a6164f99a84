import { describe, expect, it } from 'vitest';
import { Findings } from '../../../../../src/develop/testing/simulation/oracle/findings.ts';
import {
  checkRequeues,
  type Progress,
} from '../../../../../src/develop/testing/simulation/oracle/requeues.ts';
import type { Message } from '../../../../../src/model/message.ts';

const given: Message = {
  rule: 'name-on-copies',
  root: { pk: 'A', sk: '1' },
  cause: 'changed',
  copies: [
    { pk: 'C', sk: '1' },
    { pk: 'C', sk: '2' },
  ],
  attempts: 1,
};

const begun: Progress = { outOfTime: false, written: false, throttled: false };

const paced = { pace: { unitsPerSecond: 50, paidAt: 0 } };

function violationsOf(message: Message, before: Partial<Progress>): string[] {
  const findings = new Findings({ rules: [], aggregates: [], archives: [] });
  const answered = {
    registry: { aggregate: () => undefined },
    messages: [{ id: 'm1', body: JSON.stringify(given) }],
    requeues: [{ message, delaySeconds: 1, refused: false, before: { ...begun, ...before } }],
    ...{ records: [], failed: new Map(), emptied: false, ceiling: 100 },
  };
  checkRequeues(answered, 'i1', findings);
  return findings.violations.map(({ what }) => what);
}

describe('a message that is requeued as it came', () => {
  const uncounted = ['a message that did not advance comes again uncounted'];

  it('counts its delivery', () => {
    expect(violationsOf({ ...given, attempts: 2 }, {})).toEqual([]);
    expect(violationsOf(given, {})).toEqual(uncounted);
    expect(violationsOf({ ...given, attempts: 0 }, { written: true })).toEqual(uncounted);
  });

  it('may begin anew if the time was up, and a part of its page was written', () => {
    expect(violationsOf({ ...given, attempts: 0 }, { outOfTime: true, written: true })).toEqual([]);
    expect(violationsOf({ ...given, attempts: 0 }, { outOfTime: true })).toEqual(uncounted);
  });
});

describe('a message that is requeued without a pace', () => {
  it('comes before the first throttled write', () => {
    const lost = { ...given, copies: given.copies?.slice(1), attempts: 0 };
    expect(violationsOf(lost, {})).toEqual([]);
    expect(violationsOf(lost, { throttled: true })).toEqual([
      'a fan-out goes on without the pace that it kept to',
    ]);
    expect(violationsOf({ ...lost, ...paced }, { throttled: true })).toEqual([]);
  });
});
