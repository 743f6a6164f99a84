import { writeUnits } from '../../../model/capacity.ts';
import type { Change } from '../../../model/change.ts';
import type { ItemKey } from '../../../model/item.ts';
import { isOfKind } from '../../../model/kind.ts';
import { allKinds, archivedAs, type Registry } from '../../../model/registry.ts';
import type { ArchiveReport, PropagationReport } from '../../../model/report.ts';
import { unlessInvalid } from '../../../model/unless-invalid.ts';
import { rootOf } from '../../../worker/propagation/plan/rule-functions.ts';
import type { ChangeDetail, ChangeView, RuleCounts, Second } from '../protocol/changes.ts';
import { address, addressOf, ChangeEntry, differing, type Matched, type Usage } from './change-entry.ts';
import { KeptChanges } from './kept-changes.ts';
import type { Used } from './observed-table.ts';
import { type OwnWrite, OwnWrites } from './own-writes.ts';
import { archiveId, RuleTally } from './rule-tally.ts';
import { Seconds } from './seconds.ts';

/** Records that are recognized when the event source delivers them again. */
const maxRecords = 5_000;

export interface JournalOptions {
  readonly registry: Registry;
  /** What each rule makes of a change, and why. */
  readonly matched: (change: Change) => readonly Matched[];
  /** About how many copies a propagation visits; undefined if nobody can say. */
  readonly count: (rule: string, root: ItemKey) => Promise<number | undefined>;
  /** In epoch milliseconds. Default: the system's clock. */
  readonly now?: () => number;
}

/**
 * The last changes, with what the worker has done about each, as its records, reports and writes tell. Their content is kept
 * whether a page is open or not: whoever opens one wants to see what has just happened.
 */
export class Journal {
  readonly used: Used = { requests: 0, readUnits: 0 };
  /** Hears of the worker's writes. */
  readonly writes: OwnWrites;
  /** Counts up with everything that a page may want to know. */
  version = 0;
  total = 0;
  private readonly options: JournalOptions;
  private readonly now: () => number;
  private readonly kept = new KeptChanges();
  private readonly lastOfRule = new Map<string, ChangeEntry>();
  private readonly delivered = new Set<bigint>();
  private readonly timeline = new Seconds();
  private readonly ruleTally: RuleTally;
  private readUnitsSeen = 0;

  constructor(options: JournalOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.writes = new OwnWrites(this.now);
    this.ruleTally = new RuleTally(options.registry);
  }

  /** The worker has read these changes, and is about to work on them. */
  seen(changes: readonly Change[]): void {
    const usage = this.usage();
    for (const change of changes) if (this.isNew(change)) this.add(change, usage);
  }

  propagated(report: PropagationReport): void {
    const now = this.now();
    const at = addressOf(report);
    const waiting = this.kept.at(at);
    const entry = waiting.at(-1);
    // Changes of one root in one batch are one propagation.
    for (const earlier of waiting.slice(0, -1)) this.touch(earlier, () => earlier.supersede(at));
    let lastMilliseconds: number | undefined;
    if (entry !== undefined) {
      this.kept.settle(at);
      this.touch(entry, () => {
        lastMilliseconds = entry.reported(report, now, this.usage());
      });
      if (report.requeued > 0) this.countCopies(entry, report);
    }
    this.countRule(report.rule, {
      written: report.written + report.removed,
      deadLettered: report.deadLettered,
      lastMilliseconds,
    });
    this.timeline.used(now, { readUnits: this.used.readUnits - this.readUnitsSeen });
    this.readUnitsSeen = this.used.readUnits;
  }

  archived({ kind, key, outcome }: ArchiveReport): void {
    const rule = this.options.registry.archives.find(({ kinds }) => kinds.some(({ name }) => name === kind));
    if (rule === undefined) return;
    const written = outcome === 'stored' || outcome === 'final' ? 1 : 0;
    const at = address('archive', rule.name, key);
    const waiting = this.kept.at(at);
    // Changes of one item in one batch are archived once.
    for (const earlier of waiting.slice(0, -1)) this.touch(earlier, () => earlier.supersede(at));
    const entry = waiting.at(-1);
    let lastMilliseconds: number | undefined;
    if (entry !== undefined) {
      this.kept.settle(at);
      this.touch(entry, () => {
        lastMilliseconds = entry.archived(rule.name, written, this.now());
      });
    }
    this.countRule(archiveId(rule.name, kind), { written, lastMilliseconds });
  }

  /** The changes that are newer than this version, oldest first. */
  since(version: number): readonly ChangeView[] {
    return this.kept
      .all()
      .filter((entry) => entry.version > version)
      .map((entry) => entry.view());
  }

  seconds(from: number): readonly Second[] {
    return this.timeline.since(from);
  }

  rules(): Readonly<Record<string, RuleCounts>> {
    return this.ruleTally.byId();
  }

  detail(id: number): ChangeDetail | undefined {
    const entry = this.kept.get(id);
    return entry && { change: entry.view(), ...entry.contents() };
  }

  private isNew({ sequence }: Change): boolean {
    if (this.delivered.has(sequence)) return false;
    this.delivered.add(sequence);
    const [oldest] = this.delivered.size > maxRecords ? this.delivered : [];
    if (oldest !== undefined) this.delivered.delete(oldest);
    return true;
  }

  private add(change: Change, usage: Usage): void {
    const { registry } = this.options;
    const attributes = differing(change);
    const write = this.writes.take(change.key, attributes, change.after);
    if (write !== undefined) this.arrived(change, write);
    const matched = this.options.matched(change);
    const goesOn = matched.some(({ asks }) => asks === 'propagation' || asks === 'archive');
    if (write !== undefined && !goesOn) return;
    this.total += 1;
    const image = change.after ?? change.before ?? {};
    const kinds = allKinds(registry).filter((kind) => isOfKind(registry.table, kind, image));
    const entry = new ChangeEntry({
      ...{ id: this.total, change, attributes, matched, byWorker: write !== undefined },
      ...{ kinds: kinds.map(({ name }) => name), at: this.now(), usage },
    });
    this.touch(entry, () => this.kept.add(entry));
    for (const { rule, root, asks } of matched) {
      if (root === undefined || asks === 'check') continue;
      this.lastOfRule.set(rule, entry);
      const kind = asks === 'archive' ? archivedAs(registry, image)?.kind.name : undefined;
      this.countRule(kind === undefined ? rule : archiveId(rule, kind), { matched: 1 });
    }
  }

  /** A write of the worker has come back: it belongs to the change of its root. */
  private arrived(change: Change, write: OwnWrite): void {
    const { table } = this.options.registry;
    const units = writeUnits(table, change.before, change.after).total;
    this.timeline.used(this.now(), { writeUnits: units });
    const entry = this.causeOf(change, write);
    if (entry === undefined) return;
    const at = write.at ?? this.now();
    const lag = Math.max(0, at - entry.at);
    this.timeline.lagged(at, lag);
    const rule = write.rule ?? '';
    this.touch(entry, () =>
      entry.arrivedCopy({ rule, key: change.key, lag, before: undefined, after: undefined }, units, change),
    );
  }

  private causeOf(change: Change, { rule: name, root }: OwnWrite): ChangeEntry | undefined {
    const { registry } = this.options;
    const key = root ?? this.rootOf(change, name);
    const names = name === undefined ? registry.rules.map((rule) => rule.name) : [name];
    const asking = (asks: Matched['asks']) =>
      names.flatMap((one) => (key === undefined ? [] : this.kept.at(address(asks, one, key))));
    return (
      asking('propagation').at(-1) ??
      asking('check').at(-1) ??
      (name === undefined ? undefined : this.lastOfRule.get(name))
    );
  }

  /** The root of a copy, or the target of an aggregate, that was written by this rule. */
  private rootOf({ key, before, after }: Change, name: string | undefined): ItemKey | undefined {
    const { registry } = this.options;
    const image = after ?? before;
    const rule = name === undefined ? undefined : registry.rule(name);
    if (rule === undefined) return name === undefined ? undefined : key;
    if (rule.located.in === 'itself' || image === undefined) return key;
    return unlessInvalid(
      () => rootOf(registry.table, rule, image),
      () => undefined,
    );
  }

  private countCopies(entry: ChangeEntry, report: PropagationReport): void {
    this.options.count(report.rule, report.root).then(
      (copies) => {
        if (copies !== undefined) this.touch(entry, () => entry.expects(report, copies));
      },
      // The bar is shown without a total.
      () => {},
    );
  }

  private countRule(id: string, more: Partial<RuleCounts>): void {
    this.ruleTally.add(id, more);
    this.version += 1;
  }

  private usage() {
    return { ...this.used, changes: this.total };
  }

  private touch(entry: ChangeEntry, change: () => void): void {
    change();
    this.version += 1;
    entry.version = this.version;
  }
}
