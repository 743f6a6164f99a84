/**
 * Names that container engines and emulators give to their host, names without a dot, which containers use for each other,
 * and addresses: AWS's own endpoints have names.
 */
const local =
  /^(\[.+\]|\d+(\.\d+){3}|[^.]+|.+\.localhost|.+\.local|.+\.(docker|containers|lima|orb)\.internal|(.+\.)?localhost\.localstack\.cloud)$/;

/** Whether a URL is an emulator's and not AWS's. False if the text is not a URL. */
export function isLocalEndpoint(url: string): boolean {
  return URL.canParse(url) && local.test(new URL(url).hostname.toLowerCase().replace(/\.$/, ''));
}
