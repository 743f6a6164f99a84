import { DenormError } from '../../../model/errors.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import { retry } from '../../../worker/scan/clock.ts';
import { keepingBatches, readState } from '../read-states.ts';
import type { AuditCounts, Auditing } from './audit-context.ts';
import type { Claim, Classification, StateLocation } from './claim.ts';

type Work = Pick<Auditing, 'reader' | 'clock' | 'read'>;

/**
 * Reads archived bodies and checks that they are intact, if the audit asks for it and their storage class allows it.
 */
export class Bodies {
  private readonly work: Work;
  private readonly counts: Pick<AuditCounts, 'read' | 'unread'>;
  private readonly reader: ArchiveReader;

  /** @param counts receives the numbers of bodies read and not read */
  constructor(work: Work, counts: Pick<AuditCounts, 'read' | 'unread'>) {
    this.work = work;
    this.counts = counts;
    this.reader = keepingBatches(work.reader);
  }

  /** Replaces `right` by `damaged` if the body is not what was put. */
  async compared(claim: Claim, classification: Classification): Promise<Classification> {
    const { at } = classification;
    if (!this.work.read || at === undefined) return classification;
    return (await this.isIntact(claim, at)) ? classification : { is: 'damaged', objectKey: at.objectKey };
  }

  private async isIntact({ kind, key, digest }: Claim, at: StateLocation): Promise<boolean> {
    const state = {
      ...{ kind: kind.name, key, digest, ...at },
      // The other fields are not used if the digest is known.
      ...{ final: false, archivedAt: 0, sequence: 0n, bytes: undefined, storageClass: undefined },
    };
    try {
      await retry(this.work.clock, () => readState(this.reader, state));
      this.counts.read += 1;
      return true;
    } catch (error) {
      if (!(error instanceof DenormError) || !error.code.startsWith('archive.')) throw error;
      if (error.code !== 'archive.not-retrieved') return false;
      this.counts.unread += 1;
      return true;
    }
  }
}
