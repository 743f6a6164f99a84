import { archiveBatch } from '../../archive/archive-batch.ts';
import type { ArchivePort } from '../../archive/ports.ts';
import type { PricedStep, PricedTable } from '../../dev/dry-run/priced-table.ts';
import type { Change } from '../../model/change.ts';
import type { Registry } from '../../model/registry.ts';
import type { ArchiveReport } from '../../model/report.ts';

/** What the archive would be asked for. Looking an object up was done, where there is an archive to look in. */
export type ArchiveStep =
  | { readonly does: 'head'; readonly objectKey: string }
  | { readonly does: 'put'; readonly objectKey: string; readonly replaces: boolean }
  | { readonly does: 'erase'; readonly objectKey: string };

/** How an item would be archived: what would be asked of the archive, and what reading the item costs. */
export interface PlannedArchiving {
  readonly report: ArchiveReport | undefined;
  readonly asked: readonly ArchiveStep[];
  readonly steps: readonly PricedStep[];
}

/**
 * How the changes of one item would be archived; undefined where they are nothing to the archive.
 * @param archive looked into; undefined where none is at hand, and nothing is taken to stand there
 */
export async function planArchiving(
  registry: Registry,
  table: PricedTable,
  archive: Pick<ArchivePort, 'head'> | undefined,
  changes: readonly Change[],
): Promise<PlannedArchiving | undefined> {
  const asked: ArchiveStep[] = [];
  const reports: ArchiveReport[] = [];
  let failure: unknown;
  await archiveBatch(
    {
      ...{ registry, table, concurrency: 1 },
      archive: {
        async head(objectKey) {
          asked.push({ does: 'head', objectKey });
          return archive?.head(objectKey);
        },
        async put(objectKey, _, replaces) {
          asked.push({ does: 'put', objectKey, replaces: replaces !== undefined });
          return true;
        },
        async erase(objectKey) {
          asked.push({ does: 'erase', objectKey });
        },
      },
      queue: { async deadLetter() {} },
      telemetry: {
        ...{ propagated() {}, checked() {}, deadLettered() {}, fellBack() {} },
        archived: (report) => reports.push(report),
        failed: (error) => {
          failure ??= error;
        },
      },
      // What is only planned need not be told apart.
      nonce: () => new Uint8Array(8),
    },
    changes.map((change, index) => ({ id: String(index), says: change })),
  );
  if (failure !== undefined) throw failure;
  const steps = table.take();
  return asked.length === 0 && reports.length === 0 ? undefined : { report: reports.at(-1), asked, steps };
}
