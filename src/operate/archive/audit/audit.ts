/**
 * Proves that the archive holds what it should, claim by claim:
 *
 *   claim ──first check, in its rule's layout──> right
 *             └─wrong──> suspect ──after the grace period, in both layouts──> right, or the item is gone: dismissed
 *                           ^                                   └─wrong──> the item has changed: check again
 *                           └───────────────────────────────────────┘  └─> unchanged, or checked often enough: finding
 *
 * The archive lags the table by seconds, and scans are eventually consistent; the second check reads strongly consistent.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/basics/all-settled-or-throw.ts';
import { DenormError } from '../../../model/basics/errors.ts';
import { expiryOf } from '../../../model/items/expiry.ts';
import { byKey, type KeyedItem, keyText } from '../../../model/items/item.ts';
import { KindCounter } from '../../../model/rules/kind-counts.ts';
import type { Registry } from '../../../model/rules/registry.ts';
import type { ArchiveReader } from '../../../worker/archive/ports.ts';
import type { ClockPort, TablePort } from '../../../worker/ports.ts';
import { retryOutage } from '../../../worker/retry.ts';
import { type ScanPoint, scanTable, type TableScan } from '../../../worker/scan/scan-table.ts';
import { Suspects } from '../../../worker/verify/suspects.ts';
import { keepingBatches, readState, retryingReader } from '../read-states.ts';
import {
  type AuditFinding,
  type Claim,
  type ClaimOfChange,
  type Classification,
  claimsOfEnds,
  claimsOfItems,
} from './claim.ts';
import { classifyLines, classifyObjects } from './classify-objects.ts';
import { type HistoryRead, type HistoryReading, readHistory } from './read-history.ts';

export interface Auditing {
  readonly registry: Registry;
  readonly reader: ArchiveReader;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly clock: ClockPort;
  /** How long the archive may lag behind the table. */
  readonly graceMs: number;
  /** Whether bodies are read too, if their storage class allows it, and checked against checksum and digest. */
  readonly read: boolean;
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onFinding: (finding: AuditFinding) => void;
}

export interface AuditCounts {
  /** Items with an expiry. */
  exists: number;
  /** Final states of items that are gone. */
  ended: number;
  /** Deletions that must erase. */
  erased: number;
  findings: number;
  /** Bodies that were read and are intact. */
  read: number;
  /** Bodies that were not read because they are in Glacier. */
  unread: number;
}

/** Suspects that are checked together; and claims on batches, for which all manifests are read once. */
const maxSuspects = 1_000;
const maxLines = 100_000;

/** Checks of an item that keeps changing, after the first one. */
const maxLooks = 5;

interface Suspect {
  readonly claim: Claim;
  readonly looks: number;
  readonly dueAt: number;
}

interface Present extends Suspect {
  readonly changed: boolean;
}

export class Audit {
  readonly counts: AuditCounts = { exists: 0, ended: 0, erased: 0, findings: 0, read: 0, unread: 0 };
  readonly work: Auditing;
  /** Items with an expiry that no rule archives. */
  readonly unarchived: KindCounter;
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly bodies: ArchiveReader;
  private readonly reportedUnerased = new Set<string>();
  private lines: Claim[] = [];
  private readonly suspects: Suspects<Suspect>;

  constructor(work: Auditing) {
    const { clock, concurrency } = work;
    this.work = { ...work, reader: retryingReader(work.reader, clock) };
    this.unarchived = new KindCounter(work.registry);
    this.limit = pLimit(concurrency);
    this.bodies = keepingBatches(this.work.reader);
    this.suspects = new Suspects({
      clock,
      atOnce: maxSuspects,
      lookAgain: async (due) => ({ again: await this.lookAgain(due) }),
    });
  }

  /** Checks claims. Problems are reported later, by {@link finish} at the latest. */
  async look(claims: readonly ClaimOfChange[]): Promise<void> {
    for (const { that } of claims) this.counts[that] += 1;
    await this.firstLook(await this.inObjects(claims.filter(({ rule }) => rule.layout === 'object')));
    this.lines.push(...claims.filter(({ rule }) => rule.layout === 'batch'));
    if (this.lines.length >= maxLines) await this.lookAtLines();
    await this.suspects.untilAtMost(maxSuspects - 1, this.work.stop);
  }

  suspect(claims: readonly Claim[]): void {
    const dueAt = this.work.clock.now() + this.work.graceMs;
    this.suspects.add(claims.map((claim) => ({ claim, looks: 1, dueAt })));
  }

  /** Checks until there are no suspects or the audit is stopped: a problem that was seen once is not reported. */
  async finish(): Promise<void> {
    await this.lookAtLines();
    await this.suspects.untilAtMost(0, this.work.stop);
  }

  private inObjects(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Classification>> {
    const { reader, registry, concurrency } = this.work;
    return classifyObjects({ reader, table: registry.table, concurrency }, claims);
  }

  private async lookAtLines(): Promise<void> {
    const claims = this.lines;
    this.lines = [];
    await this.firstLook(await classifyLines(this.work.reader, claims));
  }

  private async firstLook(classified: ReadonlyMap<Claim, Classification>): Promise<void> {
    await allSettledOrThrow(
      [...classified].map(([claim, classification]) =>
        this.limit(async () => {
          if ((await this.compared(claim, classification)).is !== 'right') this.suspect([claim]);
        }),
      ),
    );
  }

  /** @returns the suspects whose item has changed, to be checked once more */
  private async lookAgain(suspects: readonly Suspect[]): Promise<readonly Suspect[]> {
    const again: Suspect[] = [];
    const present = await this.present(suspects);
    const claims = present.map(({ claim }) => claim);
    const inLines = await classifyLines(this.work.reader, claims);
    const inObjects = await this.inObjects(claims);
    for (const { claim, looks, changed } of present) {
      const layouts = claim.rule.layout === 'object' ? [inObjects, inLines] : [inLines, inObjects];
      const found = layouts.flatMap((layout) => layout.get(claim) ?? []);
      // A claim that holds in either layout is right: the rule's layout may have changed.
      const right = found.find(({ is }) => is === 'right');
      // A wrong state in the other layout says more than a missing one in the rule's own.
      const chosen = right ?? found.find(({ is }) => is !== 'missing') ?? found[0];
      const classification = chosen && (await this.compared(claim, chosen));
      if (classification === undefined || classification.is === 'right') continue;
      if (changed && looks < maxLooks)
        again.push({ claim, looks: looks + 1, dueAt: this.work.clock.now() + this.work.graceMs });
      else this.found(claim, classification.is, classification.objectKey);
    }
    return again;
  }

  /** With their current claims. An item that is gone or has lost its expiry is dropped, and so is one that is there again. */
  private async present(suspects: readonly Suspect[]): Promise<readonly Present[]> {
    const { registry, table, clock } = this.work;
    const keys = suspects
      .filter(({ claim: { that } }) => that === 'exists' || that === 'gone')
      .map(({ claim }) => claim.key);
    const items = await retryOutage(clock, () => table.getMany(keys));
    const itemAt = byKey(items);
    const claims = new Map(claimsOfItems(registry, items).map((claim) => [keyText(claim.key), claim]));
    return suspects.flatMap((suspect): Present[] => {
      const { that, key, digest } = suspect.claim;
      if (that === 'gone' && itemAt(key) !== undefined) return [];
      if (that !== 'exists') return [{ ...suspect, changed: false }];
      const claim = claims.get(keyText(key));
      return claim === undefined ? [] : [{ ...suspect, claim, changed: claim.digest !== digest }];
    });
  }

  /** Replaces `right` by `damaged` if bodies are read and this one is not what was put. */
  private async compared({ digest }: Claim, classification: Classification): Promise<Classification> {
    const { at } = classification;
    if (!this.work.read || at === undefined) return classification;
    try {
      await readState(this.bodies, { ...at, digest });
      this.counts.read += 1;
    } catch (error) {
      if (!(error instanceof DenormError) || !error.code.startsWith('archive.')) throw error;
      if (error.code !== 'archive.not-retrieved') return { is: 'damaged', objectKey: at.objectKey };
      this.counts.unread += 1;
    }
    return classification;
  }

  /** States that should have been erased can be found in two ways, and are reported once. */
  private found({ rule, kind, key, sequence }: Claim, wrong: AuditFinding['wrong'], objectKey: string): void {
    const item = `${kind.name} ${keyText(key)}`;
    if (wrong === 'left') {
      if (this.reportedUnerased.has(item)) return;
      this.reportedUnerased.add(item);
    }
    this.counts.findings += 1;
    this.work.onFinding({
      wrong,
      rule: rule.name,
      kind: kind.name,
      key,
      objectKey,
      sequence: sequence === 0n ? undefined : sequence,
    });
  }
}

/**
 * Checks that every item with an expiry is archived as it is.
 * @returns how far the scan came
 */
export function auditItems(audit: Audit, scan: Omit<TableScan, 'visit'>): Promise<ScanPoint> {
  const { registry } = audit.work;
  const { table } = registry;
  return scanTable({
    ...scan,
    visit: (items) => {
      const claims = claimsOfItems(registry, items);
      const claimed = new Set(claims.map(({ key }) => keyText(key)));
      const isUnarchived = ({ key, item }: KeyedItem) =>
        expiryOf(table, item) !== undefined && !claimed.has(keyText(key));
      audit.unarchived.add(items.filter(isUnarchived));
      return audit.look(claims);
    },
  });
}

/** Checks that the final state of every removed item is archived or erased, as far back as the stream reaches. */
export function auditHistory(audit: Audit, reading: Omit<HistoryReading, 'visit'>): Promise<HistoryRead> {
  return readHistory({
    ...reading,
    visit: (changes) => audit.look(claimsOfEnds(audit.work.registry, changes)),
  });
}
