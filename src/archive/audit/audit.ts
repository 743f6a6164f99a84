/**
 * Proves that the archive holds what it has to, claim by claim:
 *
 *   claim ──first look, where its rule puts it──> right
 *             └─wrong──> suspect ──after a time of grace, in both layouts──> right, or the item is gone: dismissed
 *                           ^                                       └─wrong──> changed since the last look: once more
 *                           └───────────────────────────────────────┘     └─> as it was, or often enough: a finding
 *
 * The worker is seconds behind the table, and what is scanned is read eventually consistent: hence the second look, for
 * which the table is read strongly consistent.
 */
import pLimit from 'p-limit';
import { allSettledOrThrow } from '../../model/all-settled-or-throw.ts';
import { keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { retry, waitUntil } from '../../scan/clock.ts';
import { type ScanPoint, scanTable, type TableScan } from '../../scan/scan-table.ts';
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

/** Suspects that are looked at together, and claims on batches, for which all manifests are read once. */
const maxSuspects = 1_000;
const maxLines = 100_000;

/** Looks at an item that keeps changing, after the first. */
const maxLooks = 5;

interface Suspect {
  readonly claim: Claim;
  /** How often it was looked at. */
  readonly looks: number;
}

/** A suspect as it is by now. */
interface Present extends Suspect {
  /** Whether the item is another than at the look before. */
  readonly changed: boolean;
}

export class Audit {
  readonly counts: AuditCounts = { exists: 0, ended: 0, erased: 0, findings: 0, read: 0, unread: 0 };
  private readonly work: Auditing;
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly bodies: Bodies;
  private readonly left = new Set<string>();
  private lines: Claim[] = [];
  private suspects: Suspect[] = [];
  /** When the time of grace of all suspects is over. */
  private due = 0;

  constructor(work: Auditing) {
    this.work = work;
    this.limit = pLimit(work.concurrency);
    this.bodies = new Bodies(work, this.counts);
  }

  /** Takes up claims. What is wrong with them is told sooner or later, at the latest by {@link finish}. */
  async look(claims: readonly Claim[]): Promise<void> {
    for (const { that } of claims) this.counts[that] += 1;
    const objects = claims.filter(({ rule }) => rule.layout === 'object');
    this.lines.push(...claims.filter(({ rule }) => rule.layout === 'batch'));
    await allSettledOrThrow(
      objects.map((claim) => this.limit(async () => this.firstLook(claim, await this.inObject(claim)))),
    );
    if (this.lines.length >= maxLines) await this.lookAtLines();
    if (this.suspects.length >= maxSuspects) await this.lookAgain();
  }

  /** Looks at all that is left, until nothing is suspected any more or somebody asks to stop. */
  async finish(): Promise<void> {
    await this.lookAtLines();
    while (this.suspects.length > 0) await this.lookAgain();
  }

  /** Something is wrong. What is left of an item that was to be erased may be found in two ways, and is told once. */
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
    if ((await this.bodies.compared(claim, classification)).is !== 'right') this.suspect(claim, 1);
  }

  private suspect(claim: Claim, looks: number): void {
    this.suspects.push({ claim, looks });
    this.due = this.work.clock.now() + this.work.grace;
  }

  private async lookAtLines(): Promise<void> {
    const { clock, reader } = this.work;
    const claims = this.lines.map((claim) => ({ claim }));
    this.lines = [];
    // One after another, so that a batch is read once for all of its lines.
    for (const { claim, inLines } of await retry(clock, () => classifyLines(reader, claims)))
      await this.firstLook(claim, inLines);
  }

  /** Where somebody asks to stop, nothing is suspected any more: what was not looked at twice is not told. */
  private async lookAgain(): Promise<void> {
    const { clock, reader } = this.work;
    const suspects = this.suspects;
    this.suspects = [];
    if (!(await waitUntil(this.work.clock, this.due, this.work.stop))) return;
    const present = await this.present(suspects);
    for (const suspect of await retry(clock, () => classifyLines(reader, present)))
      await this.secondLook(suspect, await this.inObject(suspect.claim));
  }

  /** Right in either layout is right: a rule's layout may have changed since. */
  private async secondLook(
    { claim, looks, changed, inLines }: Present & { readonly inLines: Classification },
    inObject: Classification,
  ): Promise<void> {
    const [own, other] = claim.rule.layout === 'object' ? [inObject, inLines] : [inLines, inObject];
    const right = [own, other].find(({ is }) => is === 'right');
    // What stands in the other layout says more than that nothing stands in its own.
    const wrong = own.is === 'missing' && other.is !== 'missing' ? other : own;
    const classification = await this.bodies.compared(claim, right ?? wrong);
    if (classification.is === 'right') return;
    if (changed && looks < maxLooks) this.suspect(claim, looks + 1);
    else this.found(findingOf(claim, classification.is, classification.objectKey));
  }

  /** The suspects as they are by now, strongly consistent: what stands no more, or does not expire any more, is none. */
  private async present(suspects: readonly Suspect[]): Promise<readonly Present[]> {
    const { registry, table, clock } = this.work;
    const standing = suspects.filter(({ claim }) => claim.that === 'exists');
    const items = await retry(clock, () => table.getMany(standing.map(({ claim }) => claim.key)));
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

/** Claims that every item which is going to expire is archived as it is. @returns how far the scan came */
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

/** Claims that the last state of every item that has ended is archived or erased, as far back as the stream reaches. */
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
