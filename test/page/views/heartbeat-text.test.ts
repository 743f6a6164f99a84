import { expect, test } from 'vitest';
import { heartbeatText } from '../../../src/page/views/heartbeat-text.ts';

test.each([
  [undefined, 'Heartbeat: no value in the last three hours. It is switched off, or does not run.'],
  [{ overdue: 0, lost: 0, oldestPause: 0 }, 'Heartbeat: no beat is late.'],
  [{ overdue: 60, lost: 0, oldestPause: 0 }, 'Heartbeat: a beat has been due for 60 s.'],
  [
    { overdue: 1500, lost: 2, oldestPause: 90_000 },
    'Heartbeat: a beat has been due for 25 min, 2 lost in the last three hours. A rule has been paused for 25 h.',
  ],
])('the text of the heartbeat %j says what is late, lost and paused', (heartbeat, text) => {
  expect(heartbeatText(heartbeat)).toBe(text);
});
