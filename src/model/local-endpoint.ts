/** Addresses, names without a dot, and names that engines and emulators give to their host: AWS's own endpoints have others. */
const local =
  /^(\[.+\]|\d+(\.\d+){3}|[^.]+|.+\.localhost|.+\.local|.+\.(docker|containers|lima|orb)\.internal|(.+\.)?localhost\.localstack\.cloud)$/;

export function isLocalEndpoint(url: string): boolean {
  return URL.canParse(url) && local.test(new URL(url).hostname.toLowerCase().replace(/\.$/, ''));
}
