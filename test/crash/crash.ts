/** When a worker stops: its request is not sent any more; takes effect in part; takes effect, and the answer is lost. */
export const moments = ['before', 'halfway', 'after'] as const;

/** It takes effect when the worker is gone, and somebody else has written since. */
const late = 'late';

export const allMoments = [...moments, late] as const;

export type Moment = (typeof allMoments)[number];

/** A request of a worker, by its place among all of them, from 1 up, and when the worker stops at it. */
export interface CrashPoint {
  readonly request: number;
  readonly moment: Moment;
}

/** A request as it was made: of how many parts, each of which takes effect by itself. */
export interface MadeRequest {
  readonly name: string;
  readonly parts: number;
}

/** What a crashed worker's work resolves to. */
export const stopped = Symbol('stopped');

/** One worker process that may stop at one of its requests. A stopped one never hears of anything again. */
export class Crash {
  readonly requests: MadeRequest[] = [];
  /** Resolves when the worker has stopped. */
  readonly happened: Promise<typeof stopped>;
  private readonly point: CrashPoint | undefined;
  private readonly happen: () => void;
  private gone = false;
  private underWay: (() => Promise<unknown>) | undefined;

  /** @param point undefined: the worker does not stop */
  constructor(point?: CrashPoint) {
    this.point = point;
    const { promise, resolve } = Promise.withResolvers<typeof stopped>();
    this.happened = promise;
    this.happen = () => resolve(stopped);
  }

  /** The work's result, or `stopped` where the worker stops first. */
  race<Result>(work: Promise<Result>): Promise<Result | typeof stopped> {
    return Promise.race([work, this.happened]);
  }

  /** Serves what was under way when the worker stopped. */
  async arrive(): Promise<void> {
    await this.underWay?.();
  }

  /** A request that takes effect as a whole or not at all. */
  request<Result>(name: string, effect: () => Promise<Result>): Promise<Result> {
    return this.make({ name, parts: 1 }, async () => {}, effect);
  }

  /** A request whose parts take effect one by one: halfway, the first half of them has. */
  inParts<Part, Result>(
    name: string,
    parts: readonly Part[],
    effect: (parts: readonly Part[]) => Promise<Result>,
  ): Promise<Result> {
    const half = parts.slice(0, Math.ceil(parts.length / 2));
    return this.make(
      { name, parts: parts.length },
      () => effect(half),
      () => effect(parts),
    );
  }

  private async make<Result>(
    request: MadeRequest,
    halfway: () => Promise<unknown>,
    whole: () => Promise<Result>,
  ): Promise<Result> {
    if (this.gone) return this.nothing();
    this.requests.push(request);
    const moment = this.point?.request === this.requests.length ? this.point.moment : undefined;
    if (moment === undefined) return whole();
    this.gone = true;
    if (moment === 'halfway') await halfway();
    if (moment === 'after') await whole();
    if (moment === 'late') this.underWay = whole;
    this.happen();
    return this.nothing();
  }

  private nothing(): Promise<never> {
    return new Promise(() => {});
  }
}

/** Every point at which a worker that makes these requests can stop. */
export function crashPoints(
  requests: readonly MadeRequest[],
  stops: readonly Moment[] = moments,
): CrashPoint[] {
  return requests.flatMap(({ name, parts }, index) =>
    stops
      .filter((moment) => moment !== 'halfway' || parts > 1)
      // Nobody hears of what is read when the worker is gone.
      .filter((moment) => moment !== late || !/^(get|query)/.test(name))
      .map((moment) => ({ request: index + 1, moment })),
  );
}
