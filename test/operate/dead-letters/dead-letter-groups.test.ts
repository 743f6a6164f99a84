import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/model/work/message.ts';
import {
  type FoundDeadLetter,
  groupDeadLetters,
  readDeadLetter,
} from '../../../src/operate/dead-letters/dead-letters.ts';
import { message } from '../../suites/queue-port.suite.ts';

let made = 0;

function deadLettered(
  asked: Message,
  at: number,
  code = 'root.invalid',
  reason = 'Expected State',
): FoundDeadLetter {
  made += 1;
  return { id: `m${made}`, at, code, reason, message: asked };
}

function failed(asked: Message, at: number): FoundDeadLetter {
  made += 1;
  return { id: `m${made}`, at, ...readDeadLetter(JSON.stringify(asked)) };
}

describe('groupDeadLetters', () => {
  test('makes one line of a rule and key, however often it is dead-lettered', () => {
    const asked = message('ORDER#1');
    const deadLetters = [
      deadLettered(asked, 300, 'copy.refused', 'Too large'),
      deadLettered({ ...asked, attempts: 3 }, 100),
      failed({ ...asked, cause: 'deleted' }, 200),
    ];

    expect(groupDeadLetters(deadLetters)).toEqual([
      {
        id: expect.stringMatching(/^[\da-f]{12}$/),
        rule: 'username-on-memberships',
        key: asked.root,
        record: undefined,
        code: 'copy.refused',
        reason: 'Too large',
        causes: ['changed', 'deleted'],
        oldest: 100,
        newest: 300,
        count: 3,
        isRedrivable: true,
        deadLetters: [deadLetters[1], deadLetters[2], deadLetters[0]],
      },
    ]);
  });

  test('gives a line the same id each time, whatever the other dead letters are', () => {
    const first = groupDeadLetters([
      deadLettered(message('ORDER#1'), 1),
      deadLettered(message('ORDER#2'), 2),
    ]);
    const later = groupDeadLetters([failed(message('ORDER#2'), 9)]);

    expect(later[0]?.id).toBe(first[1]?.id);
    // A person has written it down.
    expect(later[0]?.id).toBe('9c6f23c66c7c');
  });

  test('lists the line with the oldest dead letter first', () => {
    const deadLetters = [
      deadLettered(message('b'), 2),
      deadLettered(message('a'), 3),
      deadLettered(message('a'), 1),
    ];
    expect(groupDeadLetters(deadLetters).map(({ key }) => key?.pk)).toEqual(['a', 'b']);
  });

  test('makes one line of a rule and an item on which its function fails', () => {
    const about = (pk: string, rule = 'likes-of-post') => ({ rule, key: { pk, sk: 'LIKE' } });
    const invalid = { code: 'member.invalid', reason: 'Expected Status' };
    const lines = groupDeadLetters(
      [about('LIKE#1'), about('LIKE#2'), about('LIKE#1', 'likes-of-day'), about('LIKE#1')].map((one, at) => ({
        ...{ id: `m${at}`, at, ...invalid, about: one },
      })),
    );

    expect(lines.map(({ rule, key, deadLetters }) => [rule, key?.pk, deadLetters.length])).toEqual([
      ['likes-of-post', 'LIKE#1', 2],
      ['likes-of-post', 'LIKE#2', 1],
      ['likes-of-day', 'LIKE#1', 1],
    ]);
  });

  test('makes one line of a record, and one of each unreadable body', () => {
    const record = (id: string, at: number, of = '77', code = 'record.unreadable'): FoundDeadLetter => ({
      ...{ id, at, code, reason: 'no keys', record: of },
    });
    const unreadable = (id: string): FoundDeadLetter => ({ id, at: 5, ...readDeadLetter('') });
    const lines = groupDeadLetters([
      record('m-a', 1),
      record('m-b', 2),
      record('m-b', 3, '78'),
      record('m-b', 4, '77', 'rule.threw'),
      unreadable('m-c'),
      unreadable('m-d'),
    ]);

    expect(
      lines.map(({ code, record: of, causes, key, deadLetters }) => [
        ...[code, of, causes.length, key, deadLetters.length],
      ]),
    ).toEqual([
      ['record.unreadable', '77', 0, undefined, 2],
      ['record.unreadable', '78', 0, undefined, 1],
      ['rule.threw', '77', 0, undefined, 1],
      ['dead-letter.unreadable', undefined, 0, undefined, 1],
      ['dead-letter.unreadable', undefined, 0, undefined, 1],
    ]);
    // A person has written them down.
    expect([lines[0]?.id, lines[3]?.id]).toEqual(['e7acf2340892', '433a95ef7dda']);
    expect(lines[3]?.reason).toContain('it can only be dropped');
  });
});
