import type { ArchivedView, ItemEvent, ItemView } from '../protocol/views.ts';
import type { LoggedItem } from '../server/item-log.ts';

/** What happened to an item in this run, with what the archive has of it, the oldest first. */
export function historyOf(
  logged: LoggedItem | undefined,
  archived: ArchivedView | undefined,
): readonly ItemEvent[] {
  const of = (at: number, text: string): ItemEvent => ({ at, text, byWorker: true });
  return [
    ...(logged?.events ?? []),
    ...(archived?.states ?? []).map(({ at }) => of(at, 'archived')),
    ...(archived?.restored ?? []).map((at) => of(at, 'restored from the archive')),
  ].sort((a, b) => a.at - b.at);
}

/** How an item that is gone was archived last, and how it ended: as the stream told it, or by the expiry that it had. */
export function endsOf(
  logged: LoggedItem | undefined,
  archived: ArchivedView | undefined,
  now: number,
): ItemView['ends'] {
  const [last] = archived?.states ?? [];
  const end = logged?.events.findLast(({ text }) => text === 'expired' || text.startsWith('deleted'));
  const expiry = last?.expiresAt ?? Number.POSITIVE_INFINITY;
  return [
    ...(last === undefined ? [] : [{ at: last.at, text: 'archived' }]),
    ...(end !== undefined ? [end] : expiry <= now ? [{ at: expiry, text: 'its expiry was' }] : []),
  ];
}
