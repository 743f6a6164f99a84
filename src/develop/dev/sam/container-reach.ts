import { BlockList, isIPv4 } from 'node:net';
import * as z from 'zod';
import { jsonOrUndefined } from '../../../model/parse-json.ts';
import { LocalError } from '../errors.ts';
import type { RunProgram } from './run.ts';

/** The host name of this machine inside a container. Source: Docker Docs, "Networking on Docker Desktop". */
export const hostName = 'host.docker.internal';

/** How a container reaches servers on this machine. */
export interface ContainerReach {
  /**
   * This machine's address on the engine's bridge, which only containers and this machine can reach.
   * Connections to it must be forwarded to loopback. Undefined if the engine maps `host.docker.internal` to
   * loopback itself.
   */
  readonly bridge: string | undefined;
}

/** Private addresses, which are not routed on other networks. Source: RFC 1918. */
const privateAddresses = new BlockList();
privateAddresses.addSubnet('10.0.0.0', 8);
privateAddresses.addSubnet('172.16.0.0', 12);
privateAddresses.addSubnet('192.168.0.0', 16);

/**
 * Determines how a container reaches this machine: on Linux through the engine's bridge, elsewhere and with
 * Docker Desktop through an address that the engine forwards.
 * @throws LocalError `sam.no-engine` if no engine answers on Linux, `sam.no-bridge` if the engine has no
 * private bridge
 */
export async function containerReach(platform: string, run: RunProgram): Promise<ContainerReach> {
  if (platform !== 'linux') return { bridge: undefined };
  const info = await run('docker', ['info', '--format', '{{.OperatingSystem}}']);
  if (info.code !== 0) throw noEngine(info.code === undefined);
  if (info.stdout.trim() === 'Docker Desktop') return { bridge: undefined };
  const { stdout } = await run('docker', [
    'network',
    'inspect',
    'bridge',
    '--format',
    '{{json .IPAM.Config}}',
  ]);
  const bridge = addressesOf(stdout).find((address) => isIPv4(address) && privateAddresses.check(address));
  if (bridge !== undefined) return { bridge };
  throw new LocalError(
    'sam.no-bridge',
    'Expected the network `bridge` of the container engine to have a private IPv4 address, and it has none: ' +
      'set `bip` in its daemon.json.',
  );
}

const networkSchema = z.array(z.object({ Subnet: z.string().optional(), Gateway: z.string().optional() }));

/**
 * This machine's addresses on a network. After a daemon's first start, a network may have only an address
 * range; then this is the first address of the range.
 */
function addressesOf(config: string): string[] {
  const parsed = networkSchema.safeParse(jsonOrUndefined(config));
  if (!parsed.success) return [];
  return parsed.data.flatMap(({ Gateway, Subnet }) => {
    if (Gateway !== undefined && Gateway !== '') return [Gateway];
    return Subnet === undefined ? [] : [Subnet.replace(/\.0\/\d+$/, '.1')];
  });
}

function noEngine(missing: boolean): LocalError {
  return new LocalError(
    'sam.no-engine',
    `Expected a container engine that \`docker info\` reaches, ${missing ? 'but there is no command `docker`' : 'but none answers'}: ` +
      'start Docker, or leave out --sam.',
  );
}
