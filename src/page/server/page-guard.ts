import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A token that another user of this machine cannot guess. The page's address has it once, then a cookie. */
export function newToken(): string {
  return randomBytes(18).toString('base64url');
}

/** Browsers send the cookies of all ports of a host together, so the name has the port. */
export function cookieOf(port: number, token: string): string {
  return `denorm-${port}=${token}`;
}

export function hasCookie({ headers }: IncomingMessage, cookie: string): boolean {
  return headers.cookie?.split(/; */).some((one) => isSame(one, cookie)) === true;
}

/** Compares in constant time. */
export function isSame(given: string | null, expected: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Why a request does not come from the page itself; undefined if it does. Any website can make a browser send requests to
 * this machine:
 * - by a name of its own that resolves to 127.0.0.1 (DNS rebinding): then `Host` is that name;
 * - from its own page (CSRF): then `Origin` and `Sec-Fetch-Site` say so. A request that changes something must have the
 *   page's own `Origin`, and a body of JSON, which no form can send.
 */
export function whyForeign(request: IncomingMessage, port: number): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site, 'content-type': type = '' } = request.headers;
  const hosts = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`);
  if (!hosts.includes(host))
    return `Expected the host ${hosts[0]}, got another one: open the page by that address`;
  if (origin !== undefined && origin !== `http://${host}`)
    return 'Expected a request of the page itself, got one of another origin';
  if (request.method === 'GET') {
    const isNavigation = request.headers['sec-fetch-mode'] === 'navigate';
    return site === undefined ||
      site === 'same-origin' ||
      site === 'none' ||
      (isNavigation && request.url?.split('?')[0] === '/')
      ? undefined
      : 'Expected a request of the page itself, got one of another site';
  }
  if (origin === undefined) return 'Expected a request of the page itself, got one without an origin';
  return type.split(';')[0]?.trim() === 'application/json'
    ? undefined
    : 'Expected a body of application/json, got another type';
}

/** The page loads nothing but its own files, runs no inline script, and is in no frame. */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;
