import type { StreamRecord } from '../../../../worker/batch/group.ts';
import type { Answer, Invocation } from './invocation.ts';

/** Attempts at a batch after which its first record goes to the on-failure destination. */
const maxAttempts = 6;

/** One function's way along one shard: batches in order, each until its records are acknowledged. */
export class ShardReader {
  /** Everything before this is acknowledged. */
  position = 0;
  current: { readonly invocation: Invocation; readonly from: number; readonly to: number } | undefined;
  readonly log: StreamRecord[] = [];
  attempts = 0;

  hasMore(): boolean {
    return this.position < this.log.length;
  }

  /** The stretch of the log to give next, or to give again; undefined where there is none. */
  batch(
    again: 'next' | 'doubled' | 'older',
    most: number,
    back: number,
  ): { readonly from: number; readonly to: number } | undefined {
    if (again === 'doubled') return this.current && { from: this.current.from, to: this.current.to };
    if (again === 'next' && this.current !== undefined) return undefined;
    const from = again === 'next' ? this.position : Math.max(0, this.position - back);
    const to = Math.min(from + most, again === 'next' ? this.log.length : this.position);
    return from < to ? { from, to } : undefined;
  }

  /** Takes the answer to the current batch. @returns the record that has failed too often, if one has */
  take(answer: Answer): StreamRecord | undefined {
    const batch = this.current;
    this.current = undefined;
    if (batch === undefined) return undefined;
    const failed = (id: string): boolean => 'threw' in answer || answer.failed.has(id);
    const first = this.log.slice(batch.from, batch.to).findIndex(({ id }) => failed(id));
    this.position = first < 0 ? batch.to : batch.from + first;
    this.attempts = first === 0 ? this.attempts + 1 : 0;
    if (this.attempts < maxAttempts || 'threw' in answer) return undefined;
    this.attempts = 0;
    this.position += 1;
    return this.log[this.position - 1];
  }
}
