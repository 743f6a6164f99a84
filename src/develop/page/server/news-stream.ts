import type { IncomingMessage, ServerResponse } from 'node:http';
import type { News } from '../protocol/changes.ts';
import type { Journal } from './journal.ts';

/** How often a page hears news, in milliseconds: often enough to see a copy arrive, seldom enough to cost nothing. */
const interval = 200;

/** Intervals without news after which the stream says that it is alive. */
const silent = 75;

/** A page that reads slower than this many bytes behind hears no news until it has caught up. */
const maxUnread = 1_000_000;

/**
 * Sends a page the news as a stream of events (SSE). No queue is kept for it: it hears what has changed since the version that
 * it has heard, from the journal, so that memory is bounded whatever it misses. The id of an event names the server's start
 * and the version: a browser that reconnects sends it as `Last-Event-ID`, and a page that is seen again as `?after=…`.
 * @param start names this start of the server
 */
export function streamNews(
  { journal, start }: { readonly journal: Journal; readonly start: string },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const after = new URL(request.url ?? '', 'http://page').searchParams.get('after');
  const [known, version] = String(request.headers['last-event-id'] ?? after ?? '').split('.');
  let reset = known !== start || !Number.isSafeInteger(Number(version));
  let heard = reset ? -1 : Number(version);
  let silence = 0;

  function tell(): void {
    if (response.writableLength > maxUnread) return;
    silence = heard < journal.version ? 0 : silence + 1;
    if (silence > 0) {
      if (silence % silent === 0) response.write(': alive\n\n');
      return;
    }
    const { version: now, total, rules } = journal;
    const news: News = { reset, changes: journal.since(heard), total, rules };
    response.write(`id: ${start}.${now}\nevent: news\ndata: ${JSON.stringify(news)}\n\n`);
    heard = now;
    reset = false;
  }

  response.write('retry: 1000\n\n');
  tell();
  const timer = setInterval(tell, interval).unref();
  response.on('close', () => clearInterval(timer));
}
