import { connect, createServer } from 'node:net';
import { LocalError, nameOf } from '../errors.ts';

export interface Forward {
  /** Stops listening, and closes open connections. */
  close(): Promise<void>;
}

/**
 * Forwards connections to `address:port` to the same port of 127.0.0.1.
 * @throws LocalError `sam.no-bridge` if this machine does not have the address, or the port is in use
 */
export async function forwardToLoopback(address: string, port: number): Promise<Forward> {
  const open = new Set<{ destroy(): void }>();
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => open.delete(socket));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  }).catch((error: unknown) => {
    throw new LocalError(
      'sam.no-bridge',
      `Expected ${address}:${port}, where containers reach this machine, to be free to listen on, but it is not ` +
        `(${error instanceof Error && 'code' in error ? String(error.code) : nameOf(error)}): choose another --port, or ` +
        'check that the container engine runs on this machine.',
      error,
    );
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
