/** `GET /api/metrics`: what the functions of a deployed stack have counted in the last three hours. */
export interface MetricsView {
  /** The beginnings of the minutes in epoch milliseconds, oldest first. */
  readonly times: readonly number[];
  /** The age of a change when its copies were written, in milliseconds: the largest over all functions. */
  readonly age: readonly Line[];
  /** Copies written and found right: the sum over all functions. */
  readonly copies: readonly Line[];
  readonly services: readonly string[];
  /** What was counted, and how much of it by each service; null if it counts no such thing. */
  readonly sums: readonly { readonly name: string; readonly of: readonly (number | null)[] }[];
}

/** A line of a chart: a value for each time, null where there is none. */
export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}
