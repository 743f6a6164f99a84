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
import { digestOf } from '../../domain/archive-object.ts';
import { DenormError } from '../../domain/errors.ts';
import { attribute, type Item, type ItemKey, keyIn, keyText } from '../../domain/item.ts';
import { archivedAs, type Registry } from '../../domain/registry.ts';
import { keepingBatches, readState } from '../archive-reader.ts';
import { insist } from '../insist.ts';
import type { ArchiveReader, ClockPort, TablePort } from '../ports.ts';
import { settled } from '../settled.ts';
import { type AuditFinding, type Claim, findingOf, type Judgement, type Standing } from './claim.ts';
import { judgeLines } from './judge-lines.ts';
import { judgeObject } from './judge-object.ts';

/** All that auditing works with. */
export interface Auditing {
  readonly registry: Registry;
  readonly reader: ArchiveReader;
  readonly table: Pick<TablePort, 'getMany'>;
  readonly clock: ClockPort;
  /** How long a change may be on its way to the archive, in milliseconds. */
  readonly grace: number;
  /** Whether bodies are read as well, where their storage class lets it, and compared with checksum and digest. */
  readonly read: boolean;
  /** Requests to the archive side by side, 1 or more. */
  readonly concurrency: number;
  readonly stop: () => boolean;
  readonly onFinding: (finding: AuditFinding) => void;
}

/** What an audit has looked at. */
export interface AuditCounts {
  /** Items that are going to expire. */
  stands: number;
  /** Last states of items that have ended. */
  ended: number;
  /** Deletions that were to erase. */
  erased: number;
  findings: number;
  /** Bodies that were read and are what was put. */
  read: number;
  /** Bodies that stand in Glacier, and were not read. */
  unread: number;
}

/** Suspects that are looked at together, and claims on batches, for which all manifests are read once. */
const mostSuspects = 1_000;
const mostLines = 100_000;

/** Looks at an item that keeps changing. */
const mostLooks = 5;

interface Suspect {
  readonly claim: Claim;
  readonly looks: number;
  readonly dueAt: number;
}

export class Audit {
  readonly counts: AuditCounts = { stands: 0, ended: 0, erased: 0, findings: 0, read: 0, unread: 0 };
  private readonly work: Auditing;
  private readonly limit: ReturnType<typeof pLimit>;
  private readonly bodies: ArchiveReader;
  private readonly left = new Set<string>();
  private lines: Claim[] = [];
  private suspects: Suspect[] = [];

  constructor(work: Auditing) {
    this.work = work;
    this.limit = pLimit(work.concurrency);
    this.bodies = keepingBatches(work.reader);
  }

  /** Takes up claims. What is wrong with them is told sooner or later, at the latest by {@link finish}. */
  async look(claims: readonly Claim[]): Promise<void> {
    for (const { that } of claims) this.counts[that] += 1;
    const objects = claims.filter(({ rule }) => rule.layout === 'object');
    this.lines.push(...claims.filter(({ rule }) => rule.layout === 'batch'));
    await settled(
      objects.map((claim) => this.limit(async () => this.firstLook(claim, await this.judge(claim)))),
    );
    if (this.lines.length >= mostLines) await this.lookAtLines();
    if (this.suspects.length >= mostSuspects) await this.lookAgain();
  }

  /** Looks at all that is left, until nothing is suspected any more or somebody asks to stop. */
  async finish(): Promise<void> {
    await this.lookAtLines();
    while (this.suspects.length > 0 && !this.work.stop()) await this.lookAgain();
  }

  /** Something is wrong. What is left of an item that was to be erased may be found in two ways, and is told once. */
  found(finding: AuditFinding): void {
    const { wrong, kind, key } = finding;
    const item = `${kind} ${key && keyText(key)}`;
    if (wrong === 'left' && this.left.has(item)) return;
    if (wrong === 'left') this.left.add(item);
    this.counts.findings += 1;
    this.work.onFinding(finding);
  }

  private judge(claim: Claim): Promise<Judgement> {
    return insist(this.work.clock, () => judgeObject(this.work.reader, claim));
  }

  private async firstLook(claim: Claim, judgement: Judgement): Promise<void> {
    if (judgement.is !== 'right' || !(await this.isIntact(claim, judgement.at))) this.suspect(claim, 1);
  }

  private suspect(claim: Claim, looks: number): void {
    this.suspects.push({ claim, looks, dueAt: this.work.clock.now() + this.work.grace });
  }

  private async lookAtLines(): Promise<void> {
    const claims = this.lines;
    this.lines = [];
    const judgements = await insist(this.work.clock, () => judgeLines(this.work.reader, claims));
    // One after another, so that a batch is read once for all of its lines.
    const judged = claims.map((claim, index) => ({ claim, judgement: judgements[index] ?? missing }));
    for (const { claim, judgement } of judged.sort(byPlace)) await this.firstLook(claim, judgement);
  }

  private async lookAgain(): Promise<void> {
    const { clock, stop } = this.work;
    const suspects = this.suspects;
    this.suspects = [];
    const due = Math.max(...suspects.map(({ dueAt }) => dueAt));
    while (clock.now() < due && !stop()) await clock.sleep(Math.min(250, due - clock.now()));
    if (stop()) return;
    const present = await this.present(suspects);
    const still = present.filter((suspect) => suspect !== undefined);
    const lines = await insist(clock, () =>
      judgeLines(
        this.work.reader,
        still.map(({ claim }) => claim).filter(({ that }) => that !== 'erased'),
      ),
    );
    let next = 0;
    for (const suspect of still) {
      const inLines = suspect.claim.that === 'erased' ? missing : (lines[next++] ?? missing);
      await this.secondLook(suspect, await this.judge(suspect.claim), inLines);
    }
  }

  /** Right in either layout is right: a rule's layout may have changed since. */
  private async secondLook(
    { claim, looks, changed }: Suspect & { readonly changed: boolean },
    inObject: Judgement,
    inLines: Judgement,
  ): Promise<void> {
    const right = [inObject, inLines].find(({ is }) => is === 'right');
    if (right?.is === 'right') {
      if (await this.isIntact(claim, right.at)) return;
      return this.found(findingOf(claim, 'damaged', right.at?.objectKey ?? ''));
    }
    if (changed && looks < mostLooks) return this.suspect(claim, looks + 1);
    const [own, other] = claim.rule.layout === 'object' ? [inObject, inLines] : [inLines, inObject];
    // What stands in the other layout says more than that nothing stands in its own.
    const wrong = own.is === 'missing' && other.is !== 'right' ? other : own;
    if (wrong.is !== 'right')
      this.found(findingOf(claim, wrong.is, wrong.is === 'missing' ? placeOf(own) : wrong.objectKey));
  }

  /** The suspects as they are by now, strongly consistent: what stands no more, or does not expire any more, is none. */
  private async present(
    suspects: readonly Suspect[],
  ): Promise<readonly ((Suspect & { readonly changed: boolean }) | undefined)[]> {
    const { registry, table, clock } = this.work;
    const keys = new Map<string, ItemKey>();
    for (const { claim } of suspects) if (claim.that === 'stands') keys.set(keyText(claim.key), claim.key);
    const items = await insist(clock, () => table.getMany([...keys.values()]));
    const claims = new Map(
      items.flatMap((item) => claimOf(registry, item)).map((claim) => [keyText(claim.key), claim]),
    );
    return suspects.map((suspect) => {
      if (suspect.claim.that !== 'stands') return { ...suspect, changed: false };
      const claim = claims.get(keyText(suspect.claim.key));
      return claim && { ...suspect, claim, changed: claim.digest !== suspect.claim.digest };
    });
  }

  /** Whether the body is what was put, as far as that is asked for and can be seen. */
  private async isIntact({ kind, key, digest }: Claim, at: Standing | undefined): Promise<boolean> {
    if (!this.work.read || at === undefined) return true;
    const state = {
      ...{ kind: kind.name, key, digest, ...at },
      ...{ final: false, archivedAt: 0, sequence: 0n, bytes: undefined, storageClass: undefined },
    };
    try {
      await insist(this.work.clock, () => readState(this.bodies, state));
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

const missing: Judgement = { is: 'missing', objectKey: '' };

function byPlace(a: { readonly judgement: Judgement }, b: { readonly judgement: Judgement }): number {
  const [left, right] = [placeOf(a.judgement), placeOf(b.judgement)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function placeOf(judgement: Judgement): string {
  return judgement.is === 'right' ? (judgement.at?.objectKey ?? '') : judgement.objectKey;
}

/** That an item's present state is archived, where it is going to expire and of a kind that is archived. */
export function claimOf(registry: Registry, item: Item): Claim[] {
  const found = archivedAs(registry, item);
  if (found === undefined || attribute(item, registry.table.ttl) === undefined) return [];
  const key = keyIn(registry.table, item);
  return [{ that: 'stands', ...found, key, digest: digestOf(item), sequence: 0n }];
}
