import { unlessInvalid } from '../../model/basics/errors.ts';
import { writeUnits } from '../../model/items/capacity.ts';
import { type Change, changedNames } from '../../model/items/change.ts';
import { type ItemKey, keyText, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { type ArchiveReport, isStored, type PropagationReport } from '../../model/work/report.ts';
import { rootOf } from '../../plan/rule-functions.ts';
import type { ChangeDetail, ChangeView, RuleActivity, RuleOfChange } from '../protocol/changes.ts';
import {
  addCopy,
  detailOf,
  forgetContent,
  isWork,
  type JournalEntry,
  newEntry,
  type RuleMatch,
} from './journal-entry.ts';
import { type WorkerWrite, workerWrites } from './worker-writes.ts';

/** Changes that are kept, and the content that is kept of them in bytes. */
const limits = { changes: 500, content: 32_000_000 };

/** Records that are recognized when the event source delivers them again. */
const maxRecords = 5_000;

interface JournalOptions {
  readonly registry: Registry;
  readonly match: (change: Change) => readonly RuleMatch[];
  /** About how many copies a propagation visits; undefined if nobody can say. */
  readonly count: (rule: string, root: ItemKey) => Promise<number | undefined>;
  /** Gives the time in epoch milliseconds. Default: the system's clock. */
  readonly now?: () => number;
}

/** Content is kept whether a page is open or not: whoever opens one wants to see what has just happened. */
export class Journal {
  readonly writes: ReturnType<typeof workerWrites>;
  /** Counts up with everything that a page may want to know. */
  version = 0;
  total = 0;
  rules: Readonly<Record<string, RuleActivity>> = {};
  private readonly options: JournalOptions;
  private readonly now: () => number;
  /** Oldest first. */
  private readonly entries: JournalEntry[] = [];
  private readonly delivered = new Set<bigint>();
  private readonly passedChecks = new PassedChecks();

  constructor(options: JournalOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.writes = workerWrites(options.registry.table, this.now);
  }

  seen(changes: readonly Change[]): void {
    const at = this.now();
    for (const change of changes) if (this.isNew(change)) this.add(change, at);
  }

  propagated(report: PropagationReport): void {
    const { written, removed, unchanged, orphans, deadLettered, lost: retried, requeued, recheck } = report;
    const { rule, root } = report;
    const asks = report.cause === 'check' ? 'check' : 'propagation';
    // A recheck finds the same copies again, page by page.
    const counts = { written, removed, retried, deadLettered, orphans, unchanged: recheck ? 0 : unchanged };
    const about = this.reported({ asks, rule, root }, counts, recheck ? undefined : requeued === 0);
    if (about !== undefined && requeued > 0 && about.rule.copies === undefined)
      this.countCopies(about, report);
  }

  archived(report: ArchiveReport): void {
    const { kind, key } = report;
    const rule = this.options.registry.archives.find(({ kinds }) => kinds.some(({ name }) => name === kind));
    if (rule === undefined) return;
    const counts = { written: isStored(report) ? 1 : 0 };
    this.reported({ asks: 'archive', rule: rule.name, root: key }, counts, true);
  }

  /** Oldest first. */
  since(version: number): readonly ChangeView[] {
    return this.entries.filter((entry) => entry.version > version).map(({ view }) => view);
  }

  detail(id: number): ChangeDetail | undefined {
    const entry = this.entries.find(({ view }) => view.id === id);
    return entry && detailOf(entry);
  }

  private isNew({ sequence }: Change): boolean {
    if (this.delivered.has(sequence)) return false;
    this.delivered.add(sequence);
    const [oldest] = this.delivered.size > maxRecords ? this.delivered : [];
    if (oldest !== undefined) this.delivered.delete(oldest);
    return true;
  }

  private add(change: Change, at: number): void {
    const { registry, match } = this.options;
    const { key, before, after } = change;
    const write = this.writes.take(key, changedNames(change), after);
    const cause = write && this.arrived(change, write);
    const matches = match(change);
    if (cause !== undefined)
      for (const { rule, asks } of matches)
        if (asks === 'check') this.passedChecks.pass(rule, key, { entry: cause, since: this.total });
    if (write !== undefined && !matches.some(isWork)) return;
    this.total += 1;
    const image = after ?? before ?? {};
    const kinds = registry.kinds.filter((kind) => isOfKind(kind, image));
    const entry = newEntry(change, matches, {
      id: this.total,
      kinds: kinds.map(({ name }) => name),
      at,
      byWorker: write !== undefined,
      cause: cause?.view.id,
    });
    this.entries.push(entry);
    // What is remembered of checks still refers to it.
    const left = this.entries.length > limits.changes ? this.entries.shift() : undefined;
    if (left !== undefined) forgetContent(left);
    this.touch(entry);
    this.forgetContent();
    for (const { rule } of matches.filter(isWork)) this.countRule(rule, { matched: 1 });
  }

  /**
   * A report belongs to the last change that asked for it: changes of one root in one batch are one propagation.
   * @param isDone undefined if it says nothing of that
   */
  private reported(
    about: Pick<RuleMatch, 'asks' | 'rule'> & { readonly root: ItemKey },
    counts: Partial<RuleOfChange['counts']>,
    isDone: boolean | undefined,
  ): { readonly entry: JournalEntry; readonly rule: RuleOfChange } | undefined {
    const asking = this.asking(about);
    const last = asking.at(-1);
    for (const { entry, rule } of asking.slice(0, -1))
      if (rule.state !== 'done') {
        rule.state = 'done';
        this.touch(entry);
      }
    let lastMilliseconds: number | undefined;
    if (last !== undefined) {
      const { entry, rule } = last;
      // A report of checks does not tell which copies: those that were written count when they come back.
      const isTold = (name: string) => rule.asks !== 'check' || (name !== 'written' && name !== 'removed');
      for (const name of countNames.filter(isTold)) rule.counts[name] += counts[name] ?? 0;
      if (isDone !== undefined) {
        rule.state = isDone ? 'done' : 'running';
        rule.milliseconds = this.now() - entry.view.at;
        if (isDone) lastMilliseconds = rule.milliseconds;
      }
      this.touch(entry);
    }
    const { written = 0, removed = 0, deadLettered = 0 } = counts;
    this.countRule(about.rule, { written: written + removed, deadLettered, lastMilliseconds });
    return last;
  }

  /** The changes that ask a rule to look at this root, oldest first. */
  private asking({ asks, rule, root }: Pick<RuleMatch, 'asks' | 'rule'> & { readonly root: ItemKey }) {
    return this.entries.flatMap((entry) => {
      const asking = entry.view.rules.find(
        (one) => one.rule === rule && one.asks === asks && one.root !== undefined && sameKey(one.root, root),
      );
      return asking === undefined ? [] : [{ entry, rule: asking }];
    });
  }

  /** A write of the worker has come back: it belongs to the change that asked for it. */
  private arrived(change: Change, write: WorkerWrite): JournalEntry | undefined {
    const { entry, rule } = this.causeOf(change, write) ?? {};
    if (entry === undefined) return undefined;
    const units = writeUnits(this.options.registry.table, change.before, change.after).total;
    addCopy(entry, change, {
      rule: write.writtenFor?.rule ?? '',
      at: write.at ?? this.now(),
      writeUnits: units,
    });
    if (rule?.asks === 'check' && sameKey(entry.view.key, change.key))
      rule.counts[change.after === undefined ? 'removed' : 'written'] += 1;
    this.touch(entry);
    return entry;
  }

  /** The newest change of the root, or of the copy itself, which made the worker compare it with its root. */
  private causeOf(change: Change, { writtenFor, root }: WorkerWrite) {
    if (writtenFor === undefined) return undefined;
    const { rule, cause } = writtenFor;
    const key = root ?? this.rootOf(change, rule);
    const asking = (asks: 'propagation' | 'check') =>
      key === undefined ? [] : this.asking({ asks, rule, root: key });
    const own = asking('check').findLast(
      ({ entry: { view } }) => !view.byWorker && sameKey(view.key, change.key),
    );
    const passed = this.passedChecks.of(rule, change.key, own?.entry);
    const check = passed === undefined ? own : { entry: passed, rule: undefined };
    const propagation = asking('propagation').at(-1);
    return cause === 'check' ? (check ?? propagation) : (propagation ?? check);
  }

  private rootOf({ key, before, after }: Change, name: string): ItemKey | undefined {
    const { registry } = this.options;
    const image = after ?? before;
    const rule = registry.rule(name);
    if (rule === undefined) return key;
    if (rule.located.in === 'itself' || image === undefined) return key;
    return unlessInvalid(
      () => rootOf(rule, image),
      () => undefined,
    );
  }

  private countCopies(
    { entry, rule }: { entry: JournalEntry; rule: RuleOfChange },
    report: PropagationReport,
  ): void {
    this.options.count(report.rule, report.root).then(
      (copies) => {
        rule.copies = copies;
        this.touch(entry);
      },
      // The fan-out is shown without a total.
      () => {},
    );
  }

  private countRule(name: string, more: Partial<RuleActivity>): void {
    const { matched = 0, written = 0, deadLettered = 0, lastMilliseconds } = this.rules[name] ?? {};
    const counts: RuleActivity = {
      matched: matched + (more.matched ?? 0),
      written: written + (more.written ?? 0),
      deadLettered: deadLettered + (more.deadLettered ?? 0),
      lastMilliseconds: more.lastMilliseconds ?? lastMilliseconds,
    };
    this.rules = { ...this.rules, [name]: counts };
    this.version += 1;
  }

  private touch(entry: JournalEntry): void {
    this.version += 1;
    entry.version = this.version;
  }

  private forgetContent(): void {
    let bytes = this.entries.reduce((sum, { contentBytes }) => sum + contentBytes, 0);
    for (const entry of this.entries) {
      if (bytes <= limits.content) return;
      bytes -= entry.contentBytes;
      forgetContent(entry);
    }
  }
}

const countNames = ['written', 'removed', 'unchanged', 'retried', 'deadLettered', 'orphans'] as const;

/** Copies that are remembered: not every check writes. */
const maxCopies = 5_000;

interface PassedCheck {
  /** What the write belongs to. */
  readonly entry: JournalEntry;
  /** The number of changes before it. */
  readonly since: number;
}

/**
 * The last write of the worker by which a rule checks a copy, by rule and copy. Such a write is no change of its own: what the check
 * writes belongs to the change that the write belongs to.
 */
class PassedChecks {
  private readonly byCopy = new Map<string, PassedCheck>();

  pass(rule: string, copy: ItemKey, check: PassedCheck): void {
    const text = `${rule} ${keyText(copy)}`;
    this.byCopy.delete(text);
    this.byCopy.set(text, check);
    const [oldest] = this.byCopy.size > maxCopies ? this.byCopy.keys() : [];
    if (oldest !== undefined) this.byCopy.delete(oldest);
  }

  /** Undefined if this change has come since. */
  of(rule: string, copy: ItemKey, own: JournalEntry | undefined): JournalEntry | undefined {
    const passed = this.byCopy.get(`${rule} ${keyText(copy)}`);
    return passed !== undefined && passed.since >= (own?.view.id ?? 0) ? passed.entry : undefined;
  }
}
