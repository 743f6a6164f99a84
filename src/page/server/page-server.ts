import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { nameOf } from '../../dev/errors.ts';
import { DenormError } from '../../model/basics/errors.ts';
import type { News } from '../protocol/changes.ts';
import type { PageRefusal } from '../protocol/views.ts';
import type { Journal } from './journal.ts';
import { cookieOf, hasCookie, isSame, newToken, securityHeaders, whyForeign } from './page-guard.ts';
import { PageError, type PageSource, pageStatuses, type Route, readBody } from './page-source.ts';

export type PageServer = Exclude<Awaited<ReturnType<typeof startPageServer>>, undefined>;

/** Ports after the first one that are tried. */
const otherPorts = 20;

/** The files of the page, by what is asked for, with their types. */
const pageFiles = new Map([
  ['GET /', { name: 'index.html', type: 'text/html; charset=utf-8' }],
  ['GET /page.js', { name: 'page.js', type: 'text/javascript; charset=utf-8' }],
  ['GET /page.css', { name: 'page.css', type: 'text/css; charset=utf-8' }],
]);

type Files = Readonly<Record<string, string>>;

const bundlerSchema = z.object({
  bundlePage: z.custom<() => Promise<Files>>((value) => typeof value === 'function'),
});

const client = (path: string) => fileURLToPath(new URL(`../client/${path}`, import.meta.url));

/** @returns undefined if the wished port and the next twenty are taken */
export async function startPageServer(source: PageSource, port: number, token: string = newToken()) {
  const { journal } = source;
  const told = journal && { 'GET /api/change': changeIn(journal), 'GET /api/news': newsOf(journal) };
  const routes = new Map(Object.entries<Route>({ ...source.routes, ...told }));
  const answers = [...routes.keys()];
  routes.set('GET /api/project', () => ({ ...source.project, answers }));
  const read = pageReader();
  let own = port;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  const bound = await listen(server, port);
  if (bound === undefined) return undefined;
  own = bound;
  return {
    /** Where the page is, with its token: `http://127.0.0.1:8001/?token=…`. */
    url: `http://127.0.0.1:${own}/?token=${token}`,
    async close(): Promise<void> {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const foreign = whyForeign(request, own);
    if (foreign !== undefined) throw new PageError('page.stranger', foreign);
    const base = `http://127.0.0.1:${own}`;
    if (!URL.canParse(request.url ?? '', base)) throw notFound(request);
    const { pathname, searchParams: parameters } = new URL(request.url ?? '', base);
    const route = `${request.method} ${pathname}`;
    // Browsers ask for it unasked.
    if (pathname === '/favicon.ico') return send(response, 204, 'image/x-icon', '');
    const cookie = cookieOf(own, token);
    if (route === 'GET /' && isSame(parameters.get('token'), token)) return admit(response, cookie);
    if (!hasCookie(request, cookie))
      throw new PageError(
        'page.stranger',
        'Expected the token of this page, got none or another: open the address that denorm prints',
      );
    const file = pageFiles.get(route);
    if (file !== undefined) return send(response, 200, file.type, await read(file.name));
    const respond = routes.get(route);
    if (respond === undefined) throw notFound(request);
    const body = request.method === 'POST' ? await readBody(request) : undefined;
    send(response, 200, 'application/json', JSON.stringify((await respond({ parameters, body })) ?? {}));
  }
}

function notFound({ method }: IncomingMessage): PageError {
  return new PageError('page.not-found', `Expected a path of the page, got ${method} of another one`);
}

function changeIn(journal: Journal): Route {
  return ({ parameters }) => {
    const detail = journal.detail(Number(parameters.get('id')));
    if (detail !== undefined) return detail;
    throw new PageError('page.not-found', 'Expected one of the last 500 changes, got another one');
  };
}

/** Nothing is kept for a page, so that memory is bounded whatever it misses: it says which news it has heard last. */
function newsOf(journal: Journal): Route {
  const start = randomUUID().slice(0, 8);
  return ({ parameters }): News => {
    const [known, heard] = (parameters.get('after') ?? '').split('.');
    const reset = known !== start || !Number.isSafeInteger(Number(heard));
    const { version, total } = journal;
    const rules = journal.rules.all();
    const changes = journal.since(reset ? -1 : Number(heard));
    return { version: `${start}.${version}`, reset, changes, total, rules };
  };
}

/** Gives the browser the token as a cookie, and leads it to the page's address without the token. */
function admit(response: ServerResponse, cookie: string): void {
  const headers = { location: '/', 'set-cookie': `${cookie}; HttpOnly; SameSite=Strict; Path=/` };
  response.writeHead(303, { ...securityHeaders, ...headers }).end();
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...securityHeaders, 'content-type': type }).end(body);
}

/** An error without item content: a DenormError's message never has any, and of others only the name is told. */
function refuse(response: ServerResponse, error: unknown): void {
  const refusal: PageRefusal =
    error instanceof DenormError
      ? { code: error.code, message: error.message }
      : { code: 'page.failed', message: `unexpected ${nameOf(error) || 'failure'}` };
  if (response.headersSent) response.end();
  else
    send(
      response,
      new Map<string, number>(Object.entries(pageStatuses)).get(refusal.code) ?? 500,
      'application/json',
      JSON.stringify(refusal),
    );
}

async function listen(server: Server, first: number): Promise<number | undefined> {
  for (let port = first; port <= Math.min(first + otherPorts, 65_535); port += 1) {
    const listening = once(server.listen(port, '127.0.0.1'), 'listening');
    if (await listening.catch(() => false)) return port;
  }
  return undefined;
}

/** The published package holds them bundled beside this file; in the repository they are bundled when first asked for. */
function pageReader(): (name: string) => Promise<string> {
  if (!existsSync(client('main.ts'))) return (name) => readFile(client(name), 'utf8');
  let bundled: Promise<Files> | undefined;
  // The package has no such file, so the compiler must not look for it.
  const script = new URL('../../../scripts/bundle-page.ts', import.meta.url).href;
  return async (name) => {
    bundled ??= import(script).then((loaded) => bundlerSchema.parse(loaded).bundlePage());
    return (await bundled)[name] ?? '';
  };
}
