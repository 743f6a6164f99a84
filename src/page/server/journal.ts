import { words } from '../../model/basics/text.ts';
import { type Change, changedNames } from '../../model/items/change.ts';
import { type ItemKey, keyText, sameKey } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { Pauses } from '../../model/rules/pauses.ts';
import type { Registry } from '../../model/rules/registry.ts';
import type { WrittenFor } from '../../model/work/guarded-write.ts';
import { type DeadLetter, type Message, subjectOf } from '../../model/work/message.ts';
import { type ArchiveReport, isStored, type PropagationReport } from '../../model/work/report.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { ChangeDetail, ChangeView, RuleWork } from '../protocol/changes.ts';
import type { ItemEvent } from '../protocol/views.ts';
import { ItemLog } from './item-log.ts';
import {
  addCopy,
  addFailed,
  detailOf,
  forgetContent,
  isWork,
  type JournalEntry,
  newEntry,
  type RuleMatch,
  toldOf,
} from './journal-entry.ts';
import { RuleRates } from './rule-rates.ts';
import { meteredRun } from './run-costs.ts';
import { type WorkerWrite, workerWrites } from './worker-writes.ts';

/** Changes that are kept, and the content that is kept of them in bytes. */
const limits = { changes: 500, content: 32_000_000 };

/** Names of changed attributes that an item's history has. */
const maxNames = 10;

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
  readonly writes: ReturnType<typeof workerWrites<WriteCause>>;
  /** Counts up with everything that a page may want to know. */
  version = 0;
  total = 0;
  readonly rules: RuleRates;
  private readonly options: JournalOptions;
  private readonly now: () => number;
  /** Oldest first. */
  private readonly entries: JournalEntry[] = [];
  private readonly delivered = new Map<bigint, SeenRecord>();
  private readonly passedChecks = new PassedChecks();
  readonly log = new ItemLog();

  constructor(options: JournalOptions) {
    this.options = options;
    this.now = options.now ?? Date.now;
    this.rules = new RuleRates(this.now);
    this.writes = workerWrites({
      table: options.registry.table,
      now: this.now,
      causeOf: (key, writtenFor) => this.causeOf(key, writtenFor),
    });
  }

  /**
   * Each change is seen as it is read from the stream, and again as functions are given it.
   * @param by what is given them. Before that, they cause no write, and no archived state is theirs
   */
  seen(changes: readonly Change[], by: 'stream' | 'propagation' | 'archive' | 'both' = 'both'): void {
    const at = this.now();
    for (const change of changes) {
      const seen = this.delivered.get(change.sequence) ?? this.add(change, at);
      this.delivered.set(change.sequence, seen);
      const [oldest] = this.delivered.size > maxRecords ? this.delivered.keys() : [];
      if (oldest !== undefined) this.delivered.delete(oldest);
      if (by === 'both' || by === 'propagation') seen.begin();
      if (by === 'both' || by === 'archive') seen.entry?.begun.add('archive');
    }
  }

  /**
   * The worker has made the checks that these changes ask for, unless the rule is paused: it does not report those that found a copy
   * right.
   */
  checked(changes: readonly Change[], paused: Pauses): void {
    for (const { key, sequence } of changes) {
      const entry = this.delivered.get(sequence)?.entry;
      // A write of the worker that is no change of its own has the entry of another item.
      if (entry === undefined || !sameKey(entry.view.key, key)) continue;
      for (const rule of entry.view.rules)
        if (rule.asks === 'check' && rule.state === 'waiting' && !paused.has(rule.rule)) rule.state = 'done';
      this.touch(entry);
    }
  }

  /** Whether the changes of these items have come, and the worker has done all that changes ask for. */
  hasProcessed(keys: readonly ItemKey[]): boolean {
    const isDone = ({ view }: JournalEntry) => view.rules.every(({ state }) => state === 'done');
    return keys.every((key) => this.log.of(key) !== undefined) && this.entries.every(isDone);
  }

  /** The worker's table in a run that was given these: what it costs is told of each change that it works on. */
  tableOfRun(port: TablePort, changes: readonly Change[], messages: readonly Message[] = []): TablePort {
    const entries = new Set([
      ...changes.map(({ sequence }) => this.delivered.get(sequence)?.entry),
      ...messages.map(({ rule, root, cause }) => this.causeOf(root, { rule, root, cause })?.entry),
    ]);
    let isFirst = true;
    const metered = meteredRun(port, ({ readUnits, writeUnits }) => {
      const more = { runs: isFirst ? 1 : 0, shared: isFirst && entries.size > 1 ? 1 : 0 };
      isFirst = false;
      for (const entry of entries) {
        if (entry === undefined) continue;
        const { costs } = entry;
        entry.costs = {
          runs: costs.runs + more.runs,
          shared: costs.shared + more.shared,
          readUnits: costs.readUnits + readUnits,
          writeUnits: costs.writeUnits + writeUnits,
          requests: costs.requests + 1,
        };
        this.touch(entry);
      }
    });
    return this.writes.of(metered);
  }

  propagated(report: PropagationReport): void {
    const { rule, root, requeued, recheck, lost: retried } = report;
    const asks = report.cause === 'check' ? 'check' : 'propagation';
    // A recheck finds the same copies again, page by page.
    const again = recheck && { unchanged: 0, foreign: 0, skipped: 0, absent: 0 };
    const counts = { ...report, retried, ...again };
    const about = this.reported({ asks, rule, root }, counts, recheck ? undefined : requeued === 0);
    if (about !== undefined && requeued > 0 && about.rule.copies === undefined)
      this.countCopies(about, report);
  }

  archived(report: ArchiveReport): void {
    const { kind, key } = report;
    const rule = this.options.registry.archives.find(({ kinds }) => kinds.some(({ name }) => name === kind));
    if (rule === undefined) return;
    const counts = { written: isStored(report) ? 1 : 0 };
    const about = this.reported({ asks: 'archive', rule: rule.name, root: key }, counts, true);
    if (about !== undefined) about.rule.archived = report.outcome;
    if (report.outcome === 'erased')
      this.log.add(key, { at: this.now(), text: `erased from the archive by ${rule.name}`, byWorker: true });
  }

  deadLettered(letter: DeadLetter): void {
    const { message } = letter;
    const { rule, key } = subjectOf(letter) ?? {};
    const event: ItemEvent = {
      ...{ at: this.now(), text: `dead-lettered${rule === undefined ? '' : ` by ${rule}`}`, byWorker: true },
      reason: `${letter.code}: ${letter.reason}`,
    };
    const keys = key === undefined ? [] : [key];
    for (const one of [...keys, ...(message?.copies ?? [])]) this.log.add(one, event);
    if (rule === undefined) return;
    this.rules.add(rule, { deadLettered: 1 });
    for (const one of message?.copies ?? keys) {
      const entry =
        message === undefined
          ? this.entries.findLast(({ view }) => sameKey(view.key, one))
          : this.causeOf(one, message)?.entry;
      const work = entry?.view.rules.find((asked) => asked.rule === rule && asked.asks !== 'nothing');
      if (entry === undefined || work === undefined) continue;
      addFailed(work, one, `${letter.code}: ${letter.reason}`);
      if (work.asks === 'fault') work.state = 'done';
      this.touch(entry);
    }
  }

  /** Oldest first. */
  since(version: number): readonly ChangeView[] {
    return this.entries.filter((entry) => entry.version > version).map((entry) => toldOf(entry, this.kindOf));
  }

  detail(id: number): ChangeDetail | undefined {
    const entry = this.entries.find(({ view }) => view.id === id);
    return entry && detailOf(entry, this.kindOf);
  }

  private readonly kindOf = (name: string): string => {
    const { registry } = this.options;
    const aggregate = registry.aggregate(name);
    // What is counted may be of the ledger, or the target.
    if (aggregate?.ledger !== undefined) return 'item';
    return (registry.rule(name)?.copy ?? aggregate?.on)?.name ?? 'copy';
  };

  private kindsOf({ before, after }: Change): readonly string[] {
    const image = after ?? before ?? {};
    return this.options.registry.kinds.flatMap((kind) => (isOfKind(kind, image) ? kind.name : []));
  }

  private add(change: Change, at: number): SeenRecord {
    const { match } = this.options;
    const { key, after } = change;
    const write = this.writes.take(key, changedNames(change), after);
    const cause = write && this.arrived(change, write);
    const matches = match(change);
    const since = this.total;
    const passCheck = () => {
      if (cause !== undefined)
        for (const { rule, asks } of matches)
          if (asks === 'check') this.passedChecks.pass(rule, key, { entry: cause, since });
    };
    const isListed = write === undefined || matches.some(isWork);
    if (isListed) this.total += 1;
    const kinds = this.kindsOf(change);
    const by = write && (write.writtenFor?.rule ?? 'the worker');
    const event: ItemEvent = {
      ...{ at, text: by === undefined ? eventIn(change) : `${eventIn(change)} by ${by}` },
      ...{ change: write === undefined ? this.total : cause?.view.id, byWorker: write !== undefined },
    };
    this.log.add(key, event, kinds);
    if (!isListed) return { entry: cause, begin: passCheck };
    const entry = newEntry(change, matches, {
      id: this.total,
      kinds,
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
    for (const { rule } of matches.filter(isWork)) this.rules.add(rule, { matched: 1 });
    const begin = () => {
      passCheck();
      entry.begun.add('propagation');
    };
    return { entry, begin };
  }

  /**
   * A report belongs to the last change that asked for it: changes of one root in one batch are one propagation.
   * @param isDone undefined if it says nothing of that
   */
  private reported(
    about: Pick<RuleMatch, 'asks' | 'rule'> & { readonly root: ItemKey },
    counts: Partial<RuleWork['counts']>,
    isDone: boolean | undefined,
  ): Asking | undefined {
    const asking = this.asking(about);
    const last = asking.at(-1);
    for (const { entry, rule } of asking.slice(0, -1))
      if (rule.state !== 'done') {
        Object.assign(rule, { state: 'done', with: last?.entry.view.id });
        this.touch(entry);
      }
    let milliseconds: number | undefined;
    if (last !== undefined) {
      const { entry, rule } = last;
      // A report of checks does not tell which copies: those that were written count when they come back.
      const isTold = (name: string) =>
        rule.asks !== 'check' || !['written', 'removed', 'unchanged'].includes(name);
      for (const name of countNames.filter(isTold)) rule.counts[name] += counts[name] ?? 0;
      if (isDone !== undefined) {
        rule.state = isDone ? 'done' : 'running';
        rule.milliseconds = this.now() - entry.view.at;
        if (isDone) milliseconds = rule.milliseconds;
      }
      this.touch(entry);
    }
    const { written = 0, removed = 0 } = counts;
    this.rules.add(about.rule, { written: written + removed, milliseconds });
    this.version += 1;
    return last;
  }

  /** The changes that ask a rule to look at this root, oldest first. */
  private asking({
    asks,
    rule,
    root,
  }: Pick<RuleMatch, 'asks' | 'rule'> & { readonly root: ItemKey }): Asking[] {
    return this.entries.flatMap((entry) => {
      if (!entry.begun.has(asks === 'archive' ? asks : 'propagation')) return [];
      const asking = entry.view.rules.find(
        (one) => one.rule === rule && one.asks === asks && one.root !== undefined && sameKey(one.root, root),
      );
      return asking === undefined ? [] : [{ entry, rule: asking }];
    });
  }

  /** A write of the worker has come back: it belongs to the change that asked for it. */
  private arrived(change: Change, write: WorkerWrite<WriteCause>): JournalEntry | undefined {
    const { entry, rule } = write.cause ?? {};
    if (entry === undefined) return undefined;
    addCopy(entry, change, {
      rule: write.writtenFor?.rule ?? '',
      kind: this.kindsOf(change).join(' and ') || 'copy',
      at: write.at ?? this.now(),
    });
    if (rule?.asks === 'check' && sameKey(entry.view.key, change.key))
      rule.counts[change.after === undefined ? 'removed' : 'written'] += 1;
    this.touch(entry);
    return entry;
  }

  /**
   * The newest change of the root that the propagation was given, or of the copy itself, which made the worker compare it with its
   * root.
   */
  private causeOf(copy: ItemKey, { rule, root, cause }: WrittenFor): WriteCause | undefined {
    const asking = (asks: 'propagation' | 'check') => this.asking({ asks, rule, root });
    const own = asking('check').findLast(({ entry: { view } }) => !view.byWorker && sameKey(view.key, copy));
    const passed = this.passedChecks.of(rule, copy, own?.entry);
    const check = passed === undefined ? own : { entry: passed };
    const propagation = asking('propagation').at(-1);
    return cause === 'check' ? (check ?? propagation) : (propagation ?? check);
  }

  private countCopies({ entry, rule }: Asking, report: PropagationReport): void {
    this.options.count(report.rule, report.root).then(
      (copies) => {
        rule.copies = copies;
        this.touch(entry);
      },
      // The fan-out is shown without a total.
      () => {},
    );
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

function eventIn(change: Change): string {
  const { before, after, expired } = change;
  if (before === undefined) return 'put';
  if (after === undefined) return expired ? 'expired' : 'deleted';
  return `changed ${words(changedNames(change).slice(0, maxNames))}`;
}

const countNames = [
  ...(['written', 'removed', 'unchanged', 'retried'] as const),
  ...(['orphans', 'foreign', 'skipped', 'absent'] as const),
];

interface SeenRecord {
  /** Its change; of a write of the worker that is no change of its own, the one that asked for it. */
  readonly entry: JournalEntry | undefined;
  /** What follows once it is given to the propagation. */
  readonly begin: () => void;
}

/** A change that asks a rule for something. */
interface Asking {
  readonly entry: JournalEntry;
  readonly rule: RuleWork;
}

/** What a write belongs to; the rule is undefined if another write of the worker asked for it. */
type WriteCause = Pick<Asking, 'entry'> & Partial<Asking>;

/** Copies that are remembered: not every check writes. */
const maxCopies = 1_000;

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
