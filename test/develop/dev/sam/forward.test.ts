import { createServer, get } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { forwardToLoopback } from '../../../../src/develop/dev/sam/forward.ts';
import { freePort } from '../../../../src/develop/dev/table/free-port.ts';

/** Plays the bridge: an address of this machine other than the forwarding target. */
const bridge = '127.0.0.2';

async function listening(): Promise<number> {
  const port = await freePort();
  const server = createServer((_, response) => response.end('from loopback'));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

function answerAt(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}

test('connections to the bridge are forwarded to loopback, until it is closed', async () => {
  const port = await listening();
  const forward = await forwardToLoopback(bridge, port);

  expect(await answerAt(`http://${bridge}:${port}`)).toBe('from loopback');
  await expect(answerAt(`http://127.0.0.3:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  await forward.close();
  await expect(answerAt(`http://${bridge}:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('closing breaks open connections', async () => {
  const port = await listening();
  const forward = await forwardToLoopback(bridge, port);
  const socket = connect(port, bridge);
  const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));

  await forward.close();
  await closed;
});

test('a connection is closed if nothing listens on loopback', async () => {
  const port = await freePort();
  const forward = await forwardToLoopback(bridge, port);
  onTestFinished(() => forward.close());

  await expect(answerAt(`http://${bridge}:${port}`)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test.each([
  ['in use', bridge, 'EADDRINUSE'],
  ['not of this machine', '192.0.2.1', 'EADDRNOTAVAIL'],
])('an address that is %s is reported in one sentence', async (_, address, reason) => {
  const port = await listening();
  const first = await forwardToLoopback(bridge, port);
  onTestFinished(() => first.close());

  await expect(forwardToLoopback(address, port)).rejects.toMatchObject({
    code: 'sam.no-bridge',
    message: expect.stringContaining(reason),
  });
});
