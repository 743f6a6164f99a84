/** A value by its type, never by its content. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'string') return value.isWellFormed() ? 'text' : 'text with half a character';
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (value instanceof Promise) return 'a Promise';
  if (value instanceof Date) return 'a Date';
  return Array.isArray(value) ? 'an array' : 'an object';
}

/** Whether a value has fields, as a map does: it is no list and no bytes. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
  );
}

/** The fields of an object; none of anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

export function ifText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
