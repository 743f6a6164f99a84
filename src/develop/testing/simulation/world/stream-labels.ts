/** Of streams of one table, or of tables that take over from each other, in any order. */
export const streamLabels = [
  '2025-12-02T10:00:00.000',
  '2025-12-01T10:00:00.000',
  '2026-01-01T00:00:00.000',
] as const;

export type StreamLabel = (typeof streamLabels)[number];
