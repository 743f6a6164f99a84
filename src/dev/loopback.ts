import { LocalError } from './errors.ts';

export const localRegion = 'us-east-1';

/**
 * Dummy region and credentials, so that no client looks for real ones.
 * @throws LocalError `endpoint.not-loopback` for any other host, because items on a local table are expired
 */
export function loopbackClientSettings(endpoint: string) {
  if (!isLoopback(endpoint)) {
    throw new LocalError(
      'endpoint.not-loopback',
      `Expected an endpoint on this machine such as http://127.0.0.1:8000, got ${endpoint}: ` +
        `what runs locally expires items, and must not touch another table.`,
    );
  }
  return { endpoint, region: localRegion, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
}

export function isLoopback(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { hostname, protocol } = new URL(endpoint);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
