import { BlockList } from 'node:net';

const localAddresses = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  localAddresses.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  localAddresses.addSubnet(network, prefix, 'ipv6');

/** Names that container engines and emulators give to their host. */
const localName =
  /^(localhost|.+\.localhost|.+\.local|.+\.(docker|containers|lima|orb)\.internal|(.+\.)?localhost\.localstack\.cloud)$/;

/**
 * Whether a URL is an emulator's and not AWS's: on this machine, at a private or link-local address, or at a name without
 * a dot, which containers use for each other. False if the text is not a URL.
 *
 * Source of the ranges: IANA IPv4 and IPv6 Special-Purpose Address Registries.
 */
export function isLocalEndpoint(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = new URL(url).hostname.toLowerCase().replace(/\.$/, '');
  if (host.startsWith('[')) return localAddresses.check(host.slice(1, -1), 'ipv6');
  if (/^\d+(\.\d+){3}$/.test(host)) return localAddresses.check(host, 'ipv4');
  return localName.test(host) || (host !== '' && !host.includes('.'));
}
