import type { News } from '../protocol/changes.ts';
import type { Refusal } from '../protocol/project.ts';

/** @throws Error with the server's sentence */
export async function ask<Answer>(path: string): Promise<Answer> {
  return answerOf(await answered(fetch(path)));
}

/** @throws Error with the server's sentence */
export async function send<Answer>(path: string, body: object = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return answerOf(await answered(fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })));
}

async function answered(asked: Promise<Response>): Promise<Response> {
  try {
    return await asked;
  } catch {
    throw new Error('Expected an answer of denorm, got none: start it again');
  }
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  if (response.ok) return await response.json();
  const refusal: Refusal = await response.json();
  throw new Error(`${refusal.code}: ${refusal.message}`);
}

/**
 * Hears the news until the page is closed. The browser reconnects by itself, and says what it has heard last.
 * @param onConnection called with whether the stream is connected
 */
export function hear(onNews: (news: News) => void, onConnection: (isConnected: boolean) => void): void {
  const events = new EventSource('/api/events');
  events.addEventListener('news', ({ data }) => onNews(JSON.parse(String(data))));
  events.addEventListener('open', () => onConnection(true));
  events.addEventListener('error', () => onConnection(false));
}
