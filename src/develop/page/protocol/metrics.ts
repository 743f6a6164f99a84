/** `GET /api/metrics`: what the functions of a deployed stack have counted, minute by minute. */
export interface MetricsView {
  /** The beginnings of the minutes in epoch seconds, oldest first. */
  readonly minutes: readonly number[];
  readonly metrics: readonly MetricView[];
}

export interface MetricView {
  readonly name: string;
  readonly service: string;
  readonly statistic: string;
  /** By minute; null if nothing was counted. */
  readonly values: readonly (number | null)[];
}
