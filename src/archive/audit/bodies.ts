import { DenormError } from '../../model/errors.ts';
import { retry } from '../../scan/clock.ts';
import type { ArchiveReader } from '../ports.ts';
import { keepingBatches, readState } from '../read-states.ts';
import type { AuditCounts, Auditing } from './audit-context.ts';
import type { Claim, Classification, Standing } from './claim.ts';

type Work = Pick<Auditing, 'reader' | 'clock' | 'read'>;

/** The bodies of what is archived, read and compared with what was put, as far as that is asked for and can be seen. */
export class Bodies {
  private readonly work: Work;
  private readonly counts: Pick<AuditCounts, 'read' | 'unread'>;
  private readonly reader: ArchiveReader;

  /** @param counts where it is counted what was read, and what was not */
  constructor(work: Work, counts: Pick<AuditCounts, 'read' | 'unread'>) {
    this.work = work;
    this.counts = counts;
    this.reader = keepingBatches(work.reader);
  }

  /** The judgement; `damaged` where that was right, and the body is not what was put. */
  async compared(claim: Claim, classification: Classification): Promise<Classification> {
    const { at } = classification;
    if (!this.work.read || at === undefined) return classification;
    return (await this.isIntact(claim, at)) ? classification : { is: 'damaged', objectKey: at.objectKey };
  }

  private async isIntact({ kind, key, digest }: Claim, at: Standing): Promise<boolean> {
    const state = {
      ...{ kind: kind.name, key, digest, ...at },
      // Nothing more of a state is looked at where its digest is known.
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
