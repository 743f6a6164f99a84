import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import config from '../../../../denorm.config.ts';
import { Journal } from '../../../../src/develop/page/server/journal.ts';
import { streamNews } from '../../../../src/develop/page/server/news-stream.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('many changes are one event, silence is told now and then, and who has left hears nothing', () => {
  const journal = new Journal({ registry: config.registry(), match: () => [], count: async () => undefined });
  const put = (at: number) => {
    const after = { PK: { S: `p${at}` }, SK: { S: 's' } };
    const key = { pk: `p${at}`, sk: 's' };
    journal.seen([{ key, before: undefined, after, sequence: BigInt(at), expired: false, at: undefined }]);
  };
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const write = vi.spyOn(response, 'write');
  const heard = () => write.mock.calls.map(([text]) => String(text)).join('');
  streamNews({ journal, start: 'start' }, request, response);
  const before = heard().length;
  for (let at = 1; at <= 50; at += 1) put(at);
  vi.advanceTimersByTime(200);
  const news = heard().slice(before);

  expect(news.match(/^event: news$/gm)).toHaveLength(1);
  expect(news).toMatch(/^id: start\.\d+$/m);
  vi.advanceTimersByTime(60_000);
  expect(heard().match(/^: alive$/gm)?.length).toBeGreaterThanOrEqual(3);
  response.emit('close');
  const all = heard();
  put(51);
  vi.advanceTimersByTime(60_000);
  expect(heard()).toBe(all);
});

test('a page that is seen again hears what it missed, unless denorm dev has started anew', () => {
  const journal = new Journal({ registry: config.registry(), match: () => [], count: async () => undefined });
  const first = (url: string) => {
    const request = Object.assign(new IncomingMessage(new Socket()), { url });
    const response = new ServerResponse(request);
    const write = vi.spyOn(response, 'write');
    streamNews({ journal, start: 'start' }, request, response);
    vi.advanceTimersByTime(200);
    response.emit('close');
    return write.mock.calls.map(([text]) => String(text)).join('');
  };

  expect(first(`/api/events?after=start.${journal.version}`)).not.toMatch('event: news');
  for (const url of ['/api/events', '/api/events?after=', '/api/events?after=other.0'])
    expect(first(url)).toMatch('"reset":true');
});
