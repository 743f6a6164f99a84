import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http';
import { isIP } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { jsonOrUndefined } from '../../model/basics/parse-json.ts';
import { LocalError, messageOf } from '../errors.ts';
import { boundPort } from '../local-server.ts';

const loopback = '127.0.0.1';

/**
 * How long a connection to the server waits for its next request. MiniStack closes one after 5 seconds:
 * a request that came at that moment would be lost.
 */
const idleMs = 1_000;

/** Sends a request of this operation to the server, and resolves to what it answers. */
export type SendToServer = (operation: string, body: object) => Promise<unknown>;

/** Changes or refuses requests that the server would carry out otherwise than DynamoDB. */
export interface Correction {
  readonly operations: ReadonlySet<string>;
  /** @returns the request as the server is to get it, or a sentence why it must not */
  correct(
    operation: string,
    body: unknown,
    send: SendToServer,
  ): Promise<{ readonly body: unknown } | { readonly refused: string }>;
}

/** In each answer of a guard whose table has a worker already: the table's name. */
export const workerHeader = 'x-denorm-worker';

interface GuardOptions {
  /** Of this machine: where containers reach it, their engine's bridge. Default: 127.0.0.1. */
  readonly address?: string | undefined;
  /** Default: every request is passed on as it is. */
  readonly correction?: Correction;
  /** The table on which this process runs a worker. */
  readonly worked?: string | undefined;
}

/**
 * Passes on to a server on this machine what programs ask, and refuses what browsers ask for a website.
 * @param port where to listen; 0 for a free one
 * @throws LocalError `server.port-in-use` if the port cannot be listened on, `sam.no-bridge` on another address than 127.0.0.1
 */
export async function startGuard(
  endpoint: string,
  port: number,
  { address = loopback, correction, worked }: GuardOptions = {},
) {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  const { hostname, port: targetPort } = new URL(endpoint);
  const target = { hostname, port: targetPort, agent };
  const server = createServer((incoming, outgoing) => {
    if (worked !== undefined) outgoing.setHeader(workerHeader, worked);
    const reason = refusal(incoming);
    if (reason !== undefined) refuse(outgoing, 403, reason);
    else if (correction?.operations.has(operationOf(incoming)))
      correctAndPass(incoming, outgoing, target, correction).catch((error) => unanswered(outgoing, error));
    else pass(incoming, outgoing, target);
  });
  await once(server.listen(port, address), 'listening').catch((error: unknown) => {
    throw listenError(error, port, address);
  });
  return {
    endpoint: `http://${address}:${boundPort(server)}`,
    async close(): Promise<void> {
      agent.destroy();
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Why this request may come from a website; undefined if it does not. A browser names the website in `Origin` or
 * `Sec-Fetch-Site`, or, where the website's own name resolves to this machine (DNS rebinding), in `Host`.
 */
export function refusal({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return 'Expected a request of a program on this machine, got one of a browser';
  return isLocalName(headers.host ?? '')
    ? undefined
    : 'Expected an address of this machine as the host, got another name';
}

/** Names that no website can have: those of this machine, and an address in digits. */
function isLocalName(host: string): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return (
    isIP(name) !== 0 ||
    /^(.+\.)?localhost$/.test(name) ||
    name === 'host.docker.internal' ||
    name === 'host.containers.internal'
  );
}

interface Target {
  readonly hostname: string;
  readonly port: string;
  readonly agent: Agent;
}

function operationOf({ headers }: IncomingMessage): string {
  return String(headers['x-amz-target']).replace(/^.*\./, '');
}

async function correctAndPass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: Target,
  correction: Correction,
): Promise<void> {
  const bytes = await buffer(incoming);
  const json = jsonOrUndefined(bytes.toString());
  const result =
    json === undefined
      ? { body: undefined }
      : await correction.correct(operationOf(incoming), json, sender(incoming, target));
  if ('refused' in result) refuse(outgoing, 400, result.refused);
  else
    pass(incoming, outgoing, target, result.body === json ? bytes : Buffer.from(JSON.stringify(result.body)));
}

/** Requests with the same credentials. */
function sender(incoming: IncomingMessage, target: Target): SendToServer {
  return async (operation, body) => {
    const sent = Buffer.from(JSON.stringify(body));
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request({
      ...{ ...target, method: 'POST', path: incoming.url },
      headers: { ...headersFor(incoming, sent), 'x-amz-target': `DynamoDB_20120810.${operation}` },
    })
      .on('response', resolve)
      .on('error', reject)
      .end(sent);
    return jsonOrUndefined(await text(await promise));
  };
}

/** @param body default: as it comes in */
function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: Target, body?: Buffer): void {
  const { method, url: path } = incoming;
  const headers = body === undefined ? incoming.headers : headersFor(incoming, body);
  const onward = request({ ...target, method, path, headers }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
    outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
    answer.pipe(outgoing);
  });
  onward.on('error', (error) => unanswered(outgoing, error));
  outgoing.on('close', () => onward.destroy());
  if (body === undefined) incoming.pipe(onward);
  else onward.end(body);
}

/** The headers of a request with this body in place of its own, in one piece. */
function headersFor({ headers }: IncomingMessage, body: Buffer): OutgoingHttpHeaders {
  const { 'transfer-encoding': _, ...others } = headers;
  return { ...others, 'content-length': body.length };
}

function unanswered(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.headersSent) outgoing.destroy();
  else
    refuse(
      outgoing,
      502,
      `Expected the server behind this address to answer, but it did not (${messageOf(error)})`,
    );
}

/** In the form of DynamoDB's errors, which clients show. */
function refuse(outgoing: ServerResponse, status: 400 | 403 | 502, message: string): void {
  const name = status === 400 ? 'ValidationException' : 'AccessDeniedException';
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(JSON.stringify({ __type: `com.amazon.coral.service#${name}`, message }));
}

function listenError(error: unknown, port: number, address: string): LocalError {
  if (address !== loopback)
    return new LocalError(
      'sam.no-bridge',
      `Expected ${address}:${port}, where containers reach this machine, to be free to listen on, but it is not ` +
        `(${messageOf(error)}): choose another --port, or check that the container engine runs on this machine.`,
    );
  return new LocalError(
    'server.port-in-use',
    `Expected port ${port} of 127.0.0.1 to be free, but it cannot be listened on (${messageOf(error)}): choose another with --port.`,
  );
}
