import type { Message } from '../../model/message.ts';
import type { PaceReport, PropagationReport } from '../../model/report.ts';

export class Tally {
  written = 0;
  removed = 0;
  unchanged = 0;
  lost = 0;
  orphans = 0;
  foreign = 0;
  deadLettered = 0;
  requeued = 0;
  narrowed = 0;
  skipped = 0;
  pace: PaceReport | undefined;
  private readonly message: Message;
  private readonly changedAt: number | undefined;

  constructor(message: Message, changedAt: number | undefined) {
    this.message = message;
    this.changedAt = changedAt;
  }

  writes(): number {
    return this.written + this.removed;
  }

  report(): PropagationReport {
    const { message, changedAt, ...counts } = this;
    return {
      rule: message.rule,
      root: message.root,
      cause: message.cause,
      recheck: message.recheck === true,
      ...counts,
      changedAt,
    };
  }
}
