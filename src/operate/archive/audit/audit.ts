/**
 * Proves that the archive holds what it should, claim by claim:
 *
 *   claim ──first check, in its rule's layout──> right
 *             └─wrong──> suspect ──after the grace period, in both layouts──> right, or the item is gone: dismissed
 *                           ^                                   └─wrong──> the item has changed: check again
 *                           └───────────────────────────────────────┘  └─> unchanged, or checked often enough: finding
 *
 * The archive lags the table by seconds, and scans are eventually consistent. So there is a second check, which reads
 * the table strongly consistent.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../../model/all-settled-or-throw.ts';
import { keyText } from '../../../model/item.ts';
import type { Registry } from '../../../model/registry.ts';
import { retry } from '../../../worker/scan/clock.ts';
import { type ScanPoint, scanTable, type TableScan } from '../../../worker/scan/scan-table.ts';
import { Suspects } from '../../../worker/verify/suspects.ts';
import type { AuditCounts, Auditing } from './audit-context.ts';
import { Bodies } from './bodies.ts';
import {
  type AuditFinding,
  type Claim,
  type Classification,
  claimsOfEnds,
  claimsOfItems,
  findingOf,
} from './claim.ts';
import { classifyLines } from './classify-lines.ts';
import { classifyObject } from './classify-object.ts';
import { type HistoryRead, type HistoryReading, readHistory } from './read-history.ts';

/** Suspects that are checked together; and claims on batches, for which all manifests are read once. */
const maxSuspects = 1_000;
const maxLines = 100_000;

/** Checks of an item that keeps changing, after the first one. */
const maxLooks = 5;

interface Suspect {
  readonly claim: Claim;
  /** How often it was checked. */
  readonly looks: number;
  readonly dueAt: number;
}

/** A suspect with its current claim. */
interface Present extends Suspect {
  /** Whether the item has changed since the check before. */
  readonly changed: boolean;
}

export class Audit {
  readonly counts: AuditCounts = { exists: 0, ended: 0, erased: 0, findings: 0, read: 0, unread: 0 };
  private readonly work: Auditing;
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly bodies: Bodies;
  private readonly left = new Set<string>();
  private lines: Claim[] = [];
  private readonly suspects: Suspects<Suspect>;

  constructor(work: Auditing) {
    this.work = work;
    this.limit = pLimit(work.concurrency);
    this.bodies = new Bodies(work, this.counts);
    this.suspects = new Suspects({
      ...{ clock: work.clock, atOnce: maxSuspects },
      lookAgain: async (due) => ({ again: await this.lookAgain(due) }),
    });
  }

  /** Checks claims. Problems are reported later, by {@link finish} at the latest. */
  async look(claims: readonly Claim[]): Promise<void> {
    for (const { that } of claims) this.counts[that] += 1;
    const objects = claims.filter(({ rule }) => rule.layout === 'object');
    this.lines.push(...claims.filter(({ rule }) => rule.layout === 'batch'));
    await allSettledOrThrow(
      objects.map((claim) => this.limit(async () => this.firstLook(claim, await this.inObject(claim)))),
    );
    if (this.lines.length >= maxLines) await this.lookAtLines();
    await this.suspects.untilAtMost(maxSuspects - 1, this.work.stop);
  }

  /**
   * Checks everything that is left, until there are no suspects or the audit is stopped: a problem that was seen once is not
   * reported.
   */
  async finish(): Promise<void> {
    await this.lookAtLines();
    await this.suspects.untilAtMost(0, this.work.stop);
  }

  /** Reports a finding. States that should have been erased can be found in two ways, and are reported once. */
  found(finding: AuditFinding): void {
    const { wrong, kind, key } = finding;
    if (wrong === 'left') {
      const item = `${kind} ${keyText(key)}`;
      if (this.left.has(item)) return;
      this.left.add(item);
    }
    this.counts.findings += 1;
    this.work.onFinding(finding);
  }

  private inObject(claim: Claim): Promise<Classification> {
    return retry(this.work.clock, () => classifyObject(this.work.reader, claim));
  }

  private async firstLook(claim: Claim, classification: Classification): Promise<void> {
    if ((await this.bodies.compared(claim, classification)).is !== 'right')
      this.suspects.add([this.suspect(claim, 1)]);
  }

  private suspect(claim: Claim, looks: number): Suspect {
    return { claim, looks, dueAt: this.work.clock.now() + this.work.grace };
  }

  private async lookAtLines(): Promise<void> {
    const { clock, reader } = this.work;
    const claims = this.lines.map((claim) => ({ claim }));
    this.lines = [];
    // In sequence, so that a batch is read once for all of its lines.
    for (const { claim, inLines } of await retry(clock, () => classifyLines(reader, claims)))
      await this.firstLook(claim, inLines);
  }

  /** @returns the suspects whose item has changed, to be checked once more */
  private async lookAgain(suspects: readonly Suspect[]): Promise<readonly Suspect[]> {
    const { clock, reader } = this.work;
    const again: Suspect[] = [];
    const present = await this.present(suspects);
    for (const suspect of await retry(clock, () => classifyLines(reader, present)))
      again.push(...(await this.secondLook(suspect, await this.inObject(suspect.claim))));
    return again;
  }

  /** A claim that holds in either layout is right: the rule's layout may have changed. */
  private async secondLook(
    { claim, looks, changed, inLines }: Present & { readonly inLines: Classification },
    inObject: Classification,
  ): Promise<readonly Suspect[]> {
    const [own, other] = claim.rule.layout === 'object' ? [inObject, inLines] : [inLines, inObject];
    const right = [own, other].find(({ is }) => is === 'right');
    // A wrong state in the other layout says more than a missing one in the rule's own.
    const wrong = own.is === 'missing' && other.is !== 'missing' ? other : own;
    const classification = await this.bodies.compared(claim, right ?? wrong);
    if (classification.is === 'right') return [];
    if (changed && looks < maxLooks) return [this.suspect(claim, looks + 1)];
    this.found(findingOf(claim, classification.is, classification.objectKey));
    return [];
  }

  /**
   * The suspects with their current claims, read strongly consistent. An item that is gone or has lost its expiry is
   * dropped.
   */
  private async present(suspects: readonly Suspect[]): Promise<readonly Present[]> {
    const { registry, table, clock } = this.work;
    const existing = suspects.filter(({ claim }) => claim.that === 'exists');
    const items = await retry(clock, () => table.getMany(existing.map(({ claim }) => claim.key)));
    const claims = new Map(claimsOfItems(registry, items).map((claim) => [keyText(claim.key), claim]));
    return suspects.flatMap((suspect) => {
      if (suspect.claim.that !== 'exists') return [{ ...suspect, changed: false }];
      const claim = claims.get(keyText(suspect.claim.key));
      return claim === undefined
        ? []
        : [{ ...suspect, claim, changed: claim.digest !== suspect.claim.digest }];
    });
  }
}

/** Checks that every item with an expiry is archived as it is. @returns how far the scan came */
export function auditItems(
  audit: Audit,
  registry: Registry,
  scan: Omit<TableScan, 'visit'>,
): Promise<ScanPoint> {
  return scanTable({
    ...scan,
    visit: (items) => audit.look(claimsOfItems(registry, items)),
  });
}

/** Checks that the final state of every removed item is archived or erased, as far back as the stream reaches. */
export function auditHistory(
  audit: Audit,
  registry: Registry,
  reading: Omit<HistoryReading, 'visit'>,
): Promise<HistoryRead> {
  return readHistory({
    ...reading,
    visit: (changes) => audit.look(claimsOfEnds(registry, changes)),
  });
}
