const surrogate = /[\ud800-\udfff]/;

/** The order of sort keys in DynamoDB: that of their UTF-8 bytes. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}
