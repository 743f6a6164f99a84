import { onTestFinished } from 'vitest';
import { loopbackServer } from './loopback-server.ts';

/**
 * Another way to a table, until the test ends.
 * @param passes called with each operation, such as `UpdateItem`, and its input; a request is refused if it gives false, and
 * answered with an object that it gives
 * @returns the endpoint
 */
export async function forwardingProxy(
  endpoint: string,
  passes: (operation: string, input: Record<string, unknown>) => boolean | object | Promise<boolean | object>,
): Promise<string> {
  const type = { 'content-type': 'application/x-amz-json-1.0' };
  const proxy = await loopbackServer(async ({ headers, body }) => {
    const { authorization = '', 'x-amz-date': date, 'x-amz-target': target } = headers;
    const passing = await passes(String(target).replace(/^.*\./, ''), JSON.parse(body.toString()));
    if (typeof passing === 'object') return { status: 200, headers: type, body: JSON.stringify(passing) };
    if (!passing) {
      const refusal = { __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException' };
      return { status: 400, headers: type, body: JSON.stringify(refusal) };
    }
    const signed = { authorization, 'x-amz-date': String(date), 'x-amz-target': String(target), ...type };
    const answer = await fetch(endpoint, { method: 'POST', headers: signed, body: new Uint8Array(body) });
    return { status: answer.status, headers: type, body: Buffer.from(await answer.arrayBuffer()) };
  });
  onTestFinished(proxy.close);
  return proxy.endpoint;
}

/** The same, where an operation is denied after it has passed so many times. */
export function denyingProxy(endpoint: string, denied: string, passed = 0): Promise<string> {
  let seen = 0;
  return forwardingProxy(endpoint, (operation) => operation !== denied || ++seen <= passed);
}
