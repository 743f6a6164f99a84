import { describe, expect, test } from 'vitest';
import { readDeadLetter } from '../../../src/operate/dead-letters/dead-letter.ts';
import { message } from '../../suites/queue-port.suite.ts';

const asked = message('ORDER#1');

describe('readDeadLetter', () => {
  test('reads a dead letter with its message or its record', () => {
    const deadLettered = { code: 'root.invalid', reason: 'Expected State', message: asked };
    const record = { code: 'record.unreadable', reason: 'no keys', record: '12' };

    expect(readDeadLetter(JSON.stringify(deadLettered))).toEqual(deadLettered);
    expect(readDeadLetter(JSON.stringify(record))).toEqual(record);
  });

  test('reads a message that was not dead-lettered', () => {
    expect(readDeadLetter(JSON.stringify(asked))).toEqual({
      ...{
        code: 'message.failed',
        reason: 'Failed on every delivery: see the log of FanOut',
        message: asked,
      },
    });
  });

  test.each(['', 'no JSON', '[]', 'null', '{"code": 1}', '{"rule": "a", "root": {}}', '{"reason": "why"}'])(
    'finds nothing to read in %s',
    (body) => {
      expect(readDeadLetter(body)).toEqual({
        ...{ code: 'dead-letter.unreadable', reason: expect.stringMatching(/it can only be dropped$/) },
      });
    },
  );
});
