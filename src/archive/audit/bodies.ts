import { DenormError } from '../../model/errors.ts';
import { keepingBatches, readState } from '../read-states.ts';
import { insist } from '../../scan/retry.ts';
import type { ArchiveReader } from '../../ports.ts';
import type { AuditCounts, Auditing } from './audit.ts';
import type { Claim, Judgement, Standing } from './claim.ts';

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
  async compared(claim: Claim, judgement: Judgement): Promise<Judgement> {
    const { at } = judgement;
    if (!this.work.read || at === undefined) return judgement;
    return (await this.isIntact(claim, at)) ? judgement : { is: 'damaged', objectKey: at.objectKey };
  }

  private async isIntact({ kind, key, digest }: Claim, at: Standing): Promise<boolean> {
    const state = {
      ...{ kind: kind.name, key, digest, ...at },
      // Nothing more of a state is looked at where its digest is known.
      ...{ final: false, archivedAt: 0, sequence: 0n, bytes: undefined, storageClass: undefined },
    };
    try {
      await insist(this.work.clock, () => readState(this.reader, state));
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
