import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { LocalError, messageOf } from '../errors.ts';
import { boundPort } from '../local-server.ts';

const loopback = '127.0.0.1';

/**
 * How long a connection to the server waits for its next request. MiniStack closes one after 5 seconds:
 * a request that came at that moment would be lost.
 */
const idleMs = 1_000;

/**
 * Passes on to a server on this machine what programs ask, and refuses what browsers ask for a website.
 * @param port where to listen; 0 for a free one
 * @param address of this machine: where containers reach it, their engine's bridge
 * @throws LocalError `server.port-in-use` if the port cannot be listened on, `sam.no-bridge` on another address than 127.0.0.1
 */
export async function startGuard(target: string, port: number, address = loopback) {
  const agent = new Agent({ keepAlive: true, timeout: idleMs });
  const { hostname, port: targetPort } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const reason = refusal(incoming);
    if (reason === undefined) pass(incoming, outgoing, { hostname, port: targetPort, agent });
    else refuse(outgoing, 403, reason);
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

function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  target: { readonly hostname: string; readonly port: string; readonly agent: Agent },
) {
  const { method, url: path, headers } = incoming;
  const onward = request({ ...target, method, path, headers }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !name.startsWith('access-control-'));
    outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
    answer.pipe(outgoing);
  });
  onward.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy();
    else
      refuse(
        outgoing,
        502,
        `Expected the server behind this address to answer, but it did not (${error.message})`,
      );
  });
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** In the form of DynamoDB's errors, which clients show. */
function refuse(outgoing: ServerResponse, status: number, message: string): void {
  outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  outgoing.end(JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }));
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
