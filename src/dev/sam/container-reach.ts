import { execFile } from 'node:child_process';
import { BlockList, isIPv4 } from 'node:net';
import { promisify } from 'node:util';
import { LocalError, lastWordsOf } from '../errors.ts';

/** The host name of this machine inside a container. Source: Docker Docs, "Networking on Docker Desktop". */
export const hostName = 'host.docker.internal';

/** Runs `docker` with these arguments to its end. Resolves to what it prints. */
export type Docker = (args: readonly string[]) => Promise<string>;

export const docker: Docker = async (args) =>
  (await promisify(execFile)('docker', [...args], { timeout: 20_000 })).stdout;

/** Private addresses, which are not routed on other networks. Source: RFC 1918. */
const privateAddresses = new BlockList();
privateAddresses.addSubnet('10.0.0.0', 8);
privateAddresses.addSubnet('172.16.0.0', 12);
privateAddresses.addSubnet('192.168.0.0', 16);

/** A line for each address range of a network: this machine's address, if it has one yet, and the range. */
const format = '{{range .IPAM.Config}}{{.Gateway}} {{.Subnet}}{{println}}{{end}}';

/**
 * This machine's address on the container engine's bridge, which only containers and this machine reach; undefined where the
 * engine leads `host.docker.internal` to loopback by itself, as Docker Desktop does.
 * @throws LocalError `sam.no-engine` if no engine answers on Linux, `sam.no-bridge` if the engine has no private bridge
 */
export async function bridgeAddress(platform: string, run: Docker): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  const asked = (args: readonly string[]) =>
    run(args).catch((error: unknown) => {
      throw new LocalError(
        'sam.no-engine',
        `Expected a container engine that \`docker ${args[0]}\` reaches, but it does not (${lastWordsOf(error)}): ` +
          'start Docker, or leave out --sam.',
        error,
      );
    });
  const system = await asked(['info', '--format', '{{.OperatingSystem}}']);
  if (system.trim() === 'Docker Desktop') return undefined;
  const ranges = await asked(['network', 'inspect', 'bridge', '--format', format]);
  // After a daemon's first start, a network may have only a range; this machine then has its first address.
  const addresses = ranges.split('\n').map((line) =>
    line
      .trim()
      .split(' ')[0]
      ?.replace(/\.0\/\d+$/, '.1'),
  );
  const bridge = addresses.find((address = '') => isIPv4(address) && privateAddresses.check(address));
  if (bridge !== undefined) return bridge;
  throw new LocalError(
    'sam.no-bridge',
    'Expected the network `bridge` of the container engine to have a private IPv4 address, and it has none: ' +
      'set `bip` in its daemon.json.',
  );
}
