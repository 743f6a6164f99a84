import { FatalError, TransientError } from '../../../../model/errors.ts';
import type { ArchiveNotes } from '../../../../worker/archive/ports.ts';
import type { IndexKeyRange, KeyPage, RangePort } from '../../../../worker/archive/sweep/sweep-context.ts';
import type { ScanPage, ScanPort, Segment } from '../../../../worker/ports.ts';
import type { ModelNotes } from '../../table-model/model-notes.ts';
import { ModelRange } from '../../table-model/model-range.ts';
import { ModelScan } from '../../table-model/model-scan.ts';
import type { ModelTable } from '../../table-model/model-table.ts';
import type { Fault, Invocation } from './invocation.ts';

/** How one invocation looks through the table: items as they were a second ago, entries as late as their index. */
export class RequestedSearch implements ScanPort, RangePort {
  private readonly items: ModelScan;
  private readonly entries: ModelRange;
  private readonly invocation: Invocation;

  constructor(table: ModelTable, invocation: Invocation) {
    this.items = new ModelScan(table, true);
    this.entries = new ModelRange(table);
    this.invocation = invocation;
  }

  async scan(
    segment: Segment,
    limit: number,
    ...from: [Parameters<ScanPort['scan']>[2]?]
  ): Promise<ScanPage> {
    const first = await this.items.scan(segment, 1, ...from);
    // A segment of nothing is not worth a step.
    if (first.entries.length === 0) return first;
    const where = `scan ${segment.index} ${JSON.stringify(from[0] ?? 'from its start')}`;
    return this.asked(where, () => this.items.scan(segment, Math.min(limit, 5), ...from));
  }

  before(
    keyRange: IndexKeyRange,
    limit: number,
    ...from: [Parameters<RangePort['before']>[2]?]
  ): Promise<KeyPage> {
    const where = `query ${keyRange.pk} before ${keyRange.until} ${JSON.stringify(from[0] ?? 'from its start')}`;
    return this.asked(where, () => this.entries.before(keyRange, Math.min(limit, 2), ...from));
  }

  private async asked<Page>(where: string, answer: () => Promise<Page>): Promise<Page> {
    const answered = await this.invocation.request(where, (fault) => {
      refuse(this.invocation, fault);
      return { page: answer() };
    });
    return answered.page;
  }
}

/** The notes beside the archive as one invocation sees them. */
export class RequestedNotes implements ArchiveNotes {
  private readonly notes: ModelNotes;
  private readonly invocation: Invocation;

  constructor(notes: ModelNotes, invocation: Invocation) {
    this.notes = notes;
    this.invocation = invocation;
  }

  read(noteKey: string): Promise<string | undefined> {
    return this.invocation.request(`note ${noteKey}`, (fault) => {
      refuse(this.invocation, fault);
      return this.notes.texts.get(noteKey);
    });
  }

  write(noteKey: string, text: string): Promise<void> {
    return this.invocation.request(`write note ${noteKey}`, (fault) => {
      if (fault === 'denied' || fault === 'throttled') refuse(this.invocation, fault);
      this.notes.texts.set(noteKey, text);
      refuse(this.invocation, fault);
    });
  }
}

function refuse(invocation: Invocation, fault: Fault | undefined): void {
  if (fault === undefined || fault === 'partial') return;
  if (fault === 'denied') {
    invocation.denied = true;
    throw new FatalError('simulated.denied', 'What was simulated denies access');
  }
  throw new TransientError('simulated.unavailable', 'What was simulated is not available');
}
