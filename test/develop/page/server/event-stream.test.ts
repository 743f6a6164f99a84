import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import config from '../../../../denorm.config.ts';
import { EventStream } from '../../../../src/develop/page/server/event-stream.ts';
import { Journal } from '../../../../src/develop/page/server/journal.ts';

let journal: Journal;
let stream: EventStream;

beforeEach(() => {
  vi.useFakeTimers();
  journal = new Journal({ registry: config.registry(), matched: () => [], count: async () => undefined });
  stream = new EventStream(journal, 'start');
});

afterEach(() => {
  stream.close();
  vi.useRealTimers();
});

/** A page that listens: what it has heard, and how it is closed. */
function opened() {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const write = vi.spyOn(response, 'write');
  stream.listen(request, response, {});
  return {
    heard: () => write.mock.calls.map(([text]) => String(text)).join(''),
    close: () => response.emit('close'),
  };
}

function put(sequence: bigint): void {
  const after = { PK: { S: `p${sequence}` }, SK: { S: 's' }, name: { S: 'a secret' } };
  const key = { pk: `p${sequence}`, sk: 's' };
  journal.seen([{ key, before: undefined, after, sequence, expired: false, at: undefined }]);
}

test('many changes are one event, and silence is told now and then', () => {
  const page = opened();
  const before = page.heard().length;
  for (let at = 1n; at <= 50n; at += 1n) put(at);
  vi.advanceTimersByTime(200);
  const news = page.heard().slice(before);

  expect(news.match(/^event: news$/gm)).toHaveLength(1);
  expect(news).toMatch(/^id: start\.\d+$/m);
  expect(news).not.toContain('a secret');
  vi.advanceTimersByTime(60_000);
  expect(page.heard().match(/^: alive$/gm)?.length).toBeGreaterThanOrEqual(3);
});
