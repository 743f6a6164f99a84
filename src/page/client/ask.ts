import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageRefusal } from '../protocol/views.ts';

/** @throws Error with the server's sentence */
export async function ask<Answer>(path: string, body?: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const post = body && { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(path, post).catch(() => {
    throw new Error('Expected an answer of denorm, got none: start it again');
  });
  if (response.ok) return await response.json();
  const { code, message }: PageRefusal = await response.json();
  throw new Error(`${code}: ${message}`);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : 'failed';
}

/** Asked again when `since` changes. An undefined path asks nothing, and keeps the last answer. */
export function useAnswer<Answer>(path: string | undefined, since?: unknown) {
  const [found, setFound] = useState<{ readonly answer?: Answer; readonly error?: string }>({});
  useEffect(() => {
    let isWanted = true;
    if (path !== undefined)
      ask<Answer>(path).then(
        (answer) => isWanted && setFound({ answer }),
        (error: unknown) => isWanted && setFound((last) => ({ ...last, error: errorText(error) })),
      );
    return () => {
      isWanted = false;
    };
  }, [path, since]);
  return found;
}

/** The value as it was at most so long ago: what follows each change would be asked for again and again. */
export function useAtMost<Value>(value: Value, intervalMs = 500): Value {
  const [shown, show] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const wait = last.current + intervalMs - Date.now();
    const timer = setTimeout(() => {
      last.current = Date.now();
      show(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

export function link(view: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${view}${query === '' ? '' : `?${query}`}`;
}
