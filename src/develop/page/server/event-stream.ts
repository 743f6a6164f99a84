import type { IncomingMessage, ServerResponse } from 'node:http';
import type { News } from '../protocol/changes.ts';
import type { Journal } from './journal.ts';

/** How often a page hears news, in milliseconds: often enough to see a copy arrive, seldom enough to cost nothing. */
const interval = 200;

/** How often a silent stream says that it is alive, in milliseconds. */
const heartbeat = 15_000;

/** A page that reads slower than this many bytes behind hears no news until it has caught up. */
const maxUnread = 1_000_000;

interface Listener {
  readonly response: ServerResponse;
  /** The version of the journal that it has heard. */
  heard: number;
  /** The last second that it has heard of, which may have gone on. */
  second: number;
  reset: boolean;
}

/**
 * The stream of events (SSE). No queue is kept for a page: it hears what has changed since the version that it has heard,
 * from the journal, so that memory is bounded whatever it misses. The id of an event names the server's start and the
 * version, and a browser that reconnects sends it as `Last-Event-ID`.
 */
export class EventStream {
  private readonly journal: Journal;
  private readonly start: string;
  private readonly listeners = new Set<Listener>();
  private timer: NodeJS.Timeout | undefined;
  private silentSince = 0;

  /** @param start names this start of the server */
  constructor(journal: Journal, start: string) {
    this.journal = journal;
    this.start = start;
  }

  listen(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): void {
    const [start, version] = String(request.headers['last-event-id'] ?? '').split('.');
    const knows = start === this.start && Number.isSafeInteger(Number(version));
    const listener = { response, heard: knows ? Number(version) : -1, second: 0, reset: !knows };
    this.listeners.add(listener);
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('retry: 1000\n\n');
    this.tell(listener);
    this.timer ??= setInterval(() => this.tellAll(), interval).unref();
    response.on('close', () => this.leave(listener));
  }

  close(): void {
    clearInterval(this.timer);
    for (const { response } of this.listeners) response.end();
  }

  private leave(listener: Listener): void {
    this.listeners.delete(listener);
    if (this.listeners.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tellAll(): void {
    const now = Date.now();
    const isAlive = now - this.silentSince < heartbeat;
    if (!isAlive) this.silentSince = now;
    for (const listener of this.listeners) {
      if (listener.response.writableLength > maxUnread) continue;
      if (listener.heard < this.journal.version) this.tell(listener);
      else if (!isAlive) listener.response.write(': alive\n\n');
    }
  }

  private tell(listener: Listener): void {
    const { journal } = this;
    const { version } = journal;
    const seconds = journal.seconds(listener.second);
    const news: News = {
      reset: listener.reset,
      changes: journal.since(listener.heard),
      total: journal.total,
      rules: journal.rules(),
      seconds,
    };
    listener.response.write(`id: ${this.start}.${version}\nevent: news\ndata: ${JSON.stringify(news)}\n\n`);
    listener.heard = version;
    listener.reset = false;
    listener.second = seconds.at(-1)?.at ?? listener.second;
  }
}
