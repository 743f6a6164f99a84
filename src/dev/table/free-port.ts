import { createServer, type Server } from 'node:net';

/** Finds a free port of an address of this machine. Another process may take it before it is used. */
export function freePort(address = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, address, () => {
      const port = boundPort(probe);
      probe.close(() => resolve(port));
    });
  });
}

export function boundPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
