import type { View } from './kind.ts';

/**
 * A view in which every attribute and ID reads as its own name in braces, so that a rule's functions return
 * patterns.
 */
export function placeholders(): View<Record<string, unknown>, string> {
  const names = new Proxy<Record<string, string>>({}, { get: (_, name) => `{${String(name)}}` });
  return new Proxy(
    { ids: names },
    { get: (target, name) => (name === 'ids' ? target.ids : `{${String(name)}}`) },
  );
}
