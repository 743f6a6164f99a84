import type { Message } from '../model/message.ts';
import type { TurnReport } from '../model/report.ts';

/** What a turn has done so far, in counts. */
export class Tally {
  written = 0;
  removed = 0;
  unchanged = 0;
  lost = 0;
  orphans = 0;
  foreign = 0;
  parked = 0;
  deferred = 0;
  narrowed = 0;
  private readonly message: Message;
  private readonly changedAt: number | undefined;

  constructor(message: Message, changedAt: number | undefined) {
    this.message = message;
    this.changedAt = changedAt;
  }

  report(): TurnReport {
    const { message, changedAt, ...counts } = this;
    return {
      rule: message.rule,
      root: message.root,
      cause: message.cause,
      settle: message.settle === true,
      ...counts,
      changedAt,
    };
  }
}
