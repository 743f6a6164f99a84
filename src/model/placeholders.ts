import type { View } from './kind.ts';

/**
 * A view in which every attribute and ID reads as its own name in braces, so that a rule's functions return
 * patterns.
 * @param lists attributes that read as a list of one element, `{each of <name>}`
 */
export function placeholders(lists: ReadonlySet<string> = new Set()): View<Record<string, unknown>, string> {
  const names = new Proxy<Record<string, string>>({}, { get: (_, name) => `{${String(name)}}` });
  return new Proxy(
    { ids: names },
    {
      get(target, name) {
        if (name === 'ids') return target.ids;
        return lists.has(String(name)) ? [`{each of ${String(name)}}`] : `{${String(name)}}`;
      },
    },
  );
}

/** Whether every placeholder in a text is whole. A function that cuts one, as `slice` does, returns no pattern. */
export function hasWholePlaceholders(text: string): boolean {
  return /^(?:[^{}]|\{[^{}]+\})*$/.test(text);
}
