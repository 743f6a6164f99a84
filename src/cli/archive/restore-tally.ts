import type { RestoreOutcome } from '../../archive/restore.ts';
import { retrievalTime } from '../../archive/retrieval.ts';
import { counted } from '../output/counted.ts';
import type { Progress } from '../output/progress.ts';
import type { RetrievalOptions } from './retrieval-options.ts';
import { stateId } from './state-choice.ts';
import { keyAsJson, keyText, timeText } from './state-line.ts';

interface TallyOptions extends RetrievalOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

/** Counts what became of items, and tells of those that did not come back. */
export class RestoreTally {
  private readonly options: TallyOptions;
  private readonly bar: Progress;
  private readonly counts = { restored: 0, exists: 0, asked: 0, none: 0, failed: 0 };
  /** Of those that would be restored, in a dry run. */
  private inGlacier = 0;
  private readonly classes = new Set<string>();
  private only: RestoreOutcome | undefined;

  constructor(options: TallyOptions, bar: Progress) {
    this.options = options;
    this.bar = bar;
  }

  note(outcome: RestoreOutcome): void {
    const { is, kind, key, state, storageClass, retrieval, error } = outcome;
    this.only = this.done() === 0 ? outcome : undefined;
    this.counts[is] += 1;
    if (retrieval) this.inGlacier += 1;
    if (is === 'asked' && storageClass !== undefined) this.classes.add(storageClass);
    this.bar.update(this.done());
    if (this.options.json)
      console.log(
        JSON.stringify({
          outcome: is === 'restored' && this.options.dryRun ? 'would restore' : is,
          kind,
          key: keyAsJson(key),
          state: state && stateId(state),
          storageClass,
          ...(error && { code: error.code, reason: error.message }),
        }),
      );
    else if (is === 'failed') console.log(`failed  ${kind}  ${keyText(key)}  ${error?.message}`);
    else if (is === 'none') console.log(`no such state  ${kind}  ${keyText(key)}`);
  }

  /** Whether everything that was found is back, or was there. What was waited for has come back, or failed, by now. */
  isFine(): boolean {
    const { restored, exists, failed } = this.counts;
    return failed === 0 && this.pending() === 0 && restored + exists > 0;
  }

  print(archive: string, tableName: string, interrupted: boolean): void {
    const { restored, exists, none, failed } = this.counts;
    const { dryRun, json, tier, wait } = this.options;
    if (json) {
      const summary = { table: tableName, archive, dryRun: dryRun === true, ...this.counts };
      console.log(JSON.stringify({ summary: { ...summary, inGlacier: this.inGlacier, interrupted } }));
      return;
    }
    if (this.done() === 0) console.log(`No such item in ${archive}`);
    const { is, state } = this.only ?? {};
    if (is === 'restored' && !dryRun && state !== undefined)
      console.log(`As it was archived ${timeText(state.archivedAt)}${state.final ? ', its last state' : ''}`);
    const parts = [
      `${counted(restored, 'item')} ${dryRun ? 'would be restored to' : 'restored to'} ${tableName}`,
      ...(this.inGlacier > 0 ? [`${this.inGlacier} of them must be retrieved from Glacier first`] : []),
      ...(exists > 0 ? [`${exists} skipped, because the item exists`] : []),
      ...(none > 0 ? [`${none} without such a state`] : []),
      ...(failed > 0 ? [`${failed} failed`] : []),
    ];
    if (this.done() > 0) console.log(parts.join('; '));
    if (this.pending() > 0 && !wait)
      for (const storageClass of this.classes)
        console.log(
          `${this.pending()} requested from ${storageClass}, which takes ${retrievalTime(storageClass, tier)}: run the same command again then`,
        );
    if (interrupted)
      console.log('Stopped before the end: run the same command again, which skips existing items');
  }

  private done(): number {
    const { restored, exists, none, failed } = this.counts;
    return restored + exists + none + failed + this.pending();
  }

  /** What was asked for and has not come back: whoever waits is told of it a second time. */
  private pending(): number {
    return this.options.wait ? 0 : this.counts.asked;
  }
}
