import { createHash } from 'node:crypto';

/** Equal for images, and records, that differ only in the order of attributes or set members. */
export function digest(image: unknown): string {
  const text = JSON.stringify(image ?? {}, (name, value: unknown) => {
    if (Array.isArray(value)) return ['SS', 'NS', 'BS'].includes(name) ? [...value].sort() : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return createHash('sha256').update(text).digest('base64');
}
