/** The page at an address with a token, as a browser that has opened it asks: its origin, and the cookie. */
export function openedAddress(url: string): {
  readonly origin: string;
  readonly headers: { cookie: string };
} {
  const { origin, port, searchParams } = new URL(url);
  return { origin, headers: { cookie: `denorm-${port}=${searchParams.get('token')}` } };
}
