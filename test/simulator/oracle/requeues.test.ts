import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/work/message.ts';
import { Findings } from '../../../src/simulator/oracle/findings.ts';
import { checkRequeues, type InvocationProgress } from '../../../src/simulator/oracle/requeues.ts';
import { bound } from '../../fixtures/model/bound.ts';
import { likesOfPost } from '../../simulation/likes-rules.ts';

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

const begun: InvocationProgress = { outOfTime: false, written: false, throttled: false };

const paced = { pace: { unitsPerSecond: 50, paidAt: 0 } };

const aggregate = likesOfPost(1);

const everPaused = new Set(['pins']);
const settings = { fanOutWriteUnits: 100, maxAttempts: 2, maxUnavailableSeconds: 60 };

function violationsOf(message: Message, before: Partial<InvocationProgress>): string[] {
  const findings = new Findings({ rules: [], aggregates: [], archives: [] });
  const answered = {
    registry: { aggregate: () => undefined },
    messages: [{ id: 'm1', body: JSON.stringify(given) }],
    requeues: [{ message, delaySeconds: 1, refused: false, before: { ...begun, ...before } }],
    ...{ records: [], deadLettered: [], failed: new Map(), emptied: false, settings, everPaused },
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

describe('work that is given up', () => {
  const target = { rule: 'totals', root: given.root, cause: 'changed', attempts: 0 } as const;
  const old = { ...target, unavailableSince: 0 };
  const tooEarly = ['work is given up before its own limits'];

  function givenUp(code: string, message: Message, ...messages: readonly Message[]): string[] {
    const findings = new Findings({ rules: [], aggregates: [], archives: [] });
    checkRequeues(
      {
        registry: { aggregate: (name) => (name === 'totals' ? bound(aggregate) : undefined) },
        messages: messages.map((one, index) => ({ id: `m${index}`, body: JSON.stringify(one) })),
        deadLettered: [{ letter: { code, reason: '', message }, at: 61_000 }],
        ...{ records: [], requeues: [], failed: new Map(), emptied: false, settings, everPaused },
      },
      'i1',
      findings,
    );
    return findings.violations.map(({ what }) => what);
  }

  it('has waited for as long as it may, and so has all other work of its target', () => {
    expect(givenUp('unavailable.too-long', old, old)).toEqual([]);
    expect(givenUp('unavailable.too-long', old, old, { ...old, unavailableSince: 999 })).toEqual([]);
    expect(givenUp('unavailable.too-long', old, old, { ...old, unavailableSince: 1001 })).toEqual(tooEarly);
    expect(givenUp('unavailable.too-long', old, old, target)).toEqual(tooEarly);
  });

  it('was tried as often as it may be', () => {
    expect(givenUp('attempts.exceeded', target, { ...target, attempts: 2 })).toEqual([]);
    expect(givenUp('attempts.exceeded', target, { ...target, attempts: 1 })).toEqual(tooEarly);
    expect(givenUp('attempts.exceeded', target)).toEqual(tooEarly);
  });

  it('is of other members than new work of its target', () => {
    const members = { ...old, copies: given.copies?.slice(0, 1) };
    expect(givenUp('unavailable.too-long', members, members, target)).toEqual([]);
    expect(givenUp('unavailable.too-long', members, members, { ...target, copies: given.copies })).toEqual(
      tooEarly,
    );
  });

  it('is one of several of its root', () => {
    const both = [{ ...given, unavailableSince: 0 }, given];
    expect(givenUp('unavailable.too-long', given, ...both)).toEqual([]);
    expect(givenUp('unavailable.too-long', given, given)).toEqual(tooEarly);
  });
});
