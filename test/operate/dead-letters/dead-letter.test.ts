import { describe, expect, test } from 'vitest';
import { messageIn, readDeadLetter } from '../../../src/operate/dead-letters/dead-letter.ts';
import { message } from '../../suites/queue-port.suite.ts';

const asked = message('ORDER#1');

describe('readDeadLetter', () => {
  test('reads a dead letter with its message or its record', () => {
    const deadLettered = { code: 'root.invalid', reason: 'Expected State', message: asked };
    const record = { code: 'record.unreadable', reason: 'no keys', record: '12' };

    expect(readDeadLetter(JSON.stringify(deadLettered))).toEqual({ is: 'dead-lettered', deadLettered });
    expect(readDeadLetter(JSON.stringify(record))).toEqual({ is: 'dead-lettered', deadLettered: record });
  });

  test('reads a message that was not dead-lettered', () => {
    expect(readDeadLetter(JSON.stringify(asked))).toEqual({ is: 'message', message: asked });
  });

  test.each(['', 'no JSON', '[]', 'null', '{"code": 1}', '{"rule": "a", "root": {}}', '{"reason": "why"}'])(
    'finds nothing to read in %s',
    (body) => {
      expect(readDeadLetter(body)).toEqual({ is: 'unreadable' });
    },
  );
});

test('messageIn finds the message in a dead letter, if it has one', () => {
  expect(messageIn(readDeadLetter(JSON.stringify(asked)))).toEqual(asked);
  expect(
    messageIn({ is: 'dead-lettered', deadLettered: { code: 'a', reason: 'b', message: asked } }),
  ).toEqual(asked);
  expect(
    messageIn({ is: 'dead-lettered', deadLettered: { code: 'a', reason: 'b', record: '1' } }),
  ).toBeUndefined();
  expect(messageIn({ is: 'unreadable' })).toBeUndefined();
});
