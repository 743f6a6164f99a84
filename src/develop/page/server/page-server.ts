import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { DenormError } from '../../../model/errors.ts';
import { nameOf } from '../../dev/errors.ts';
import type { Refusal } from '../protocol/project.ts';
import { EventStream } from './event-stream.ts';
import { pageFiles, pageReader } from './page-files.ts';
import { PageError, type PageSource } from './page-source.ts';
import { bodyOf, editSchema, keyIn, redriveSchema } from './requests.ts';
import { type Cookie, hasCookie, isSame, newToken, securityHeaders, strangeness } from './strangers.ts';

export interface PageServer {
  /** Where the page is, with its token: `http://127.0.0.1:8001/?token=…`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Ports after the first one that are tried. */
const otherPorts = 20;

const statuses: Readonly<Record<string, number>> = {
  'page.not-found': 404,
  'page.stranger': 403,
  'page.request': 400,
  'page.edit': 400,
  'page.busy': 409,
};

/**
 * Serves a page on 127.0.0.1, for those who know its token.
 * @param port the wished one; if it is taken, the next free one of twenty
 * @returns undefined if all are taken
 */
export async function startPageServer(
  source: PageSource,
  port: number,
  token: string = newToken(),
): Promise<PageServer | undefined> {
  const start = randomUUID().slice(0, 8);
  const events = source.journal === undefined ? undefined : new EventStream(source.journal, start);
  const read = pageReader();
  let own = port;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  const bound = await listen(server, port);
  if (bound === undefined) return undefined;
  own = bound;
  return {
    url: `http://127.0.0.1:${own}/?token=${token}`,
    async close() {
      events?.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const strange = strangeness(request, own);
    if (strange !== undefined) throw new PageError('page.stranger', strange);
    const url = new URL(request.url ?? '/', `http://127.0.0.1:${own}`);
    // Browsers ask for it unasked.
    if (url.pathname === '/favicon.ico') return send(response, 204, 'image/x-icon', '');
    const cookie = { name: `denorm-${own}`, value: token };
    if (request.method === 'GET' && url.pathname === '/' && isSame(url.searchParams.get('token'), token))
      return admit(response, cookie);
    if (!hasCookie(request, cookie))
      throw new PageError(
        'page.stranger',
        'Expected the token of this page, got none or another: open the address that denorm prints',
      );
    if (request.method === 'GET') {
      if (url.pathname === '/api/events' && events !== undefined)
        return events.listen(request, response, securityHeaders);
      const file = Object.entries(pageFiles).find(([path]) => path === url.pathname)?.[1];
      if (file !== undefined) return send(response, 200, file.type, await read(file.file));
    }
    const result = await resultOf(request, url);
    if (result === undefined)
      throw new PageError(
        'page.not-found',
        `Expected a path of the page, got ${request.method} of another one`,
      );
    send(response, 200, 'application/json', JSON.stringify(result));
  }

  async function resultOf(request: IncomingMessage, { pathname, searchParams }: URL): Promise<unknown> {
    const { journal } = source;
    const change = /^\/api\/changes\/(\d{1,12})$/.exec(pathname)?.[1];
    if (request.method === 'GET' && change !== undefined && journal !== undefined) {
      const detail = journal.detail(Number(change));
      if (detail !== undefined) return detail;
      throw new PageError('page.not-found', 'Expected one of the last 500 changes, got another one');
    }
    switch (`${request.method} ${pathname}`) {
      case 'GET /api/project':
        return source.project;
      case 'GET /api/item':
        return await source.item(keyIn(searchParams));
      case 'GET /api/dead-letters':
        return await source.deadLetters();
      case 'GET /api/failed-batches':
        return await source.failedBatches?.();
      case 'GET /api/metrics':
        return await source.metrics?.();
      case 'POST /api/item':
        if (source.edit === undefined) return undefined;
        await source.edit(await bodyOf(request, editSchema));
        return {};
      case 'POST /api/dead-letters':
        return await source.redrive?.((await bodyOf(request, redriveSchema)).ids);
      case 'POST /api/verify':
        return await source.verify?.();
      default:
        return undefined;
    }
  }
}

/** Gives the browser the token as a cookie, and leads it to the page's address without the token. */
function admit(response: ServerResponse, { name, value }: Cookie): void {
  const cookie = `${name}=${value}; HttpOnly; SameSite=Strict; Path=/`;
  response.writeHead(303, { ...securityHeaders, location: '/', 'set-cookie': cookie }).end();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type }).end(body);
}

/** An error without item content: a DenormError's message never has any, and of others only the name is told. */
function refuse(response: ServerResponse, error: unknown): void {
  const refusal: Refusal =
    error instanceof DenormError
      ? { code: error.code, message: error.message }
      : { code: 'page.failed', message: `unexpected ${nameOf(error) || 'failure'}` };
  if (response.headersSent) response.end();
  else send(response, statuses[refusal.code] ?? 500, 'application/json', JSON.stringify(refusal));
}

/** Listens on this port or one of the next; undefined if all are taken. */
async function listen(server: Server, first: number): Promise<number | undefined> {
  for (let port = first; port <= Math.min(first + otherPorts, 65_535); port += 1) {
    const isBound = await new Promise<boolean>((resolve) => {
      const taken = () => resolve(false);
      server.once('error', taken);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', taken);
        resolve(true);
      });
    });
    if (isBound) return port;
  }
  return undefined;
}
