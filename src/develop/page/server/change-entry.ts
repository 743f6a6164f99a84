import { equal } from '../../../model/attribute-value.ts';
import type { Change } from '../../../model/change.ts';
import { itemToJson } from '../../../model/dynamodb-json.ts';
import { attribute, type Item, type ItemKey, keyText } from '../../../model/item.ts';
import { itemSize } from '../../../model/item-size.ts';
import type { PropagationReport } from '../../../model/report.ts';
import type { ChangeView, CopyDetail, RuleOfChange } from '../protocol/changes.ts';
import type { Attributes } from '../protocol/project.ts';

/** Copies of a change that are shown; others are only counted. */
const maxCopies = 100;

/** A rule of a change, as its reports come in. */
export interface Matched {
  readonly rule: string;
  readonly says: string;
  readonly asks: RuleOfChange['asks'];
  /** Undefined if nothing will be reported. */
  readonly root: ItemKey | undefined;
}

type Counts = { -readonly [Name in keyof RuleOfChange['counts']]: number };

interface Progress {
  readonly matched: Matched;
  readonly counts: Counts;
  state: RuleOfChange['state'];
  milliseconds: number | undefined;
  copies: number | undefined;
}

/** What was used by the worker until a moment. */
export interface Usage {
  readonly requests: number;
  readonly readUnits: number;
  /** Changes seen. */
  readonly changes: number;
}

export interface EntryFacts {
  readonly id: number;
  readonly change: Change;
  readonly kinds: readonly string[];
  readonly byWorker: boolean;
  readonly attributes: readonly string[];
  readonly matched: readonly Matched[];
  /** In epoch milliseconds. */
  readonly at: number;
  readonly usage: Usage;
}

/** One change, and what has become of it so far. */
export class ChangeEntry {
  readonly id: number;
  readonly at: number;
  /** Counts up over all entries, so that a reader can ask for what is newer. */
  version = 0;
  /** The size of the images that it keeps. */
  contentBytes = 0;
  private readonly facts: Omit<EntryFacts, 'change'>;
  private readonly key: ItemKey;
  private readonly event: ChangeView['event'];
  private readonly expired: boolean;
  private readonly progress: readonly Progress[];
  private content: { readonly before: Item | undefined; readonly after: Item | undefined } | undefined;
  private copies: {
    readonly detail: CopyDetail;
    readonly before: Item | undefined;
    readonly after: Item | undefined;
  }[] = [];
  private used = { requests: 0, readUnits: 0, sharedWith: 0 };
  private arrived = 0;
  private maxLag: number | undefined;
  private writeUnits = 0;

  constructor({ change, ...facts }: EntryFacts) {
    this.id = facts.id;
    this.at = facts.at;
    this.facts = facts;
    this.key = change.key;
    this.event = change.before === undefined ? 'INSERT' : change.after === undefined ? 'REMOVE' : 'MODIFY';
    this.expired = change.expired;
    this.content = { before: change.before, after: change.after };
    this.contentBytes = bytesOf(change);
    this.progress = facts.matched.map((matched) => ({
      matched,
      counts: { written: 0, removed: 0, unchanged: 0, retried: 0, requeued: 0, deadLettered: 0, orphans: 0 },
      state: matched.asks === 'propagation' || matched.asks === 'archive' ? 'waiting' : 'done',
      milliseconds: undefined,
      copies: undefined,
    }));
  }

  /** The texts by which reports find this entry: rule and root. */
  get addresses(): readonly string[] {
    return this.facts.matched.flatMap(({ asks, rule, root }) =>
      root === undefined ? [] : [address(asks, rule, root)],
    );
  }

  /** @returns the time that the rule has taken, or undefined while it goes on */
  reported(report: PropagationReport, now: number, usage: Usage): number | undefined {
    const progress = this.of(addressOf(report));
    if (progress === undefined) return undefined;
    const { counts } = progress;
    counts.written += report.written;
    counts.removed += report.removed;
    // A recheck finds the same copies again, page by page.
    if (!report.recheck) {
      counts.unchanged += report.unchanged;
      counts.requeued += report.requeued;
    }
    counts.retried += report.lost;
    counts.deadLettered += report.deadLettered;
    counts.orphans += report.orphans;
    const { usage: start } = this.facts;
    if (!report.recheck) {
      progress.state = report.requeued > 0 ? 'running' : 'done';
      progress.milliseconds = now - this.at;
      this.used = {
        requests: usage.requests - start.requests,
        readUnits: usage.readUnits - start.readUnits,
        sharedWith: usage.changes - start.changes - 1,
      };
    }
    return progress.state === 'done' ? progress.milliseconds : undefined;
  }

  /** A later change of the same root is propagated, or archived, together with this one. */
  supersede(address: string): void {
    const progress = this.of(address);
    if (progress !== undefined) progress.state = 'done';
  }

  /** @returns the time that it has taken */
  archived(rule: string, written: number, now: number): number | undefined {
    const progress = this.of(address('archive', rule, this.key));
    if (progress === undefined) return undefined;
    progress.counts.written += written;
    progress.state = 'done';
    progress.milliseconds = now - this.at;
    return progress.milliseconds;
  }

  /** About how many copies a fan-out visits. */
  expects(report: PropagationReport, copies: number): void {
    const progress = this.of(addressOf(report));
    if (progress !== undefined) progress.copies = copies;
  }

  /** The write of a copy has come back on the stream. */
  arrivedCopy(detail: CopyDetail, units: number, { before, after }: Pick<Change, 'before' | 'after'>): void {
    this.arrived += 1;
    this.maxLag = Math.max(this.maxLag ?? 0, detail.lag);
    this.writeUnits += units;
    if (this.copies.length >= maxCopies) return;
    const isKept = this.content !== undefined;
    this.copies.push({ detail, ...(isKept ? { before, after } : { before: undefined, after: undefined }) });
    if (isKept) this.contentBytes += bytesOf({ before, after });
  }

  forgetContent(): void {
    this.content = undefined;
    this.contentBytes = 0;
    this.copies = this.copies.map(({ detail }) => ({ detail, before: undefined, after: undefined }));
  }

  view(): ChangeView {
    const { id, kinds, byWorker, at, attributes } = this.facts;
    return {
      ...{ id, kinds, byWorker, at, attributes, key: this.key, event: this.event, expired: this.expired },
      rules: this.progress.map(({ matched, counts, state, milliseconds, copies }) => ({
        ...{ rule: matched.rule, says: matched.says, asks: matched.asks },
        ...{ state, milliseconds, copies, counts: { ...counts } },
      })),
      ...{ arrived: this.arrived, maxLag: this.maxLag, writeUnits: this.writeUnits, ...this.used },
    };
  }

  contents(): {
    readonly before: Attributes | undefined;
    readonly after: Attributes | undefined;
    readonly contentKept: boolean;
    readonly copies: readonly CopyDetail[];
  } {
    return {
      before: asJson(this.content?.before),
      after: asJson(this.content?.after),
      contentKept: this.content !== undefined,
      copies: this.copies.map(({ detail, before, after }) => ({
        ...detail,
        before: asJson(before),
        after: asJson(after),
      })),
    };
  }

  private of(wanted: string): Progress | undefined {
    return this.progress.find(
      ({ matched: { asks, rule, root } }) => root !== undefined && address(asks, rule, root) === wanted,
    );
  }
}

/** The text by which this report finds its change. */
export function addressOf({ cause, rule, root }: PropagationReport): string {
  return address(cause === 'check' ? 'check' : 'propagation', rule, root);
}

/** The text by which a report of this rule and root finds its change. */
export function address(asks: Matched['asks'], rule: string, root: ItemKey): string {
  return JSON.stringify([asks, rule, keyText(root)]);
}

function asJson(item: Item | undefined): Attributes | undefined {
  return item === undefined ? undefined : Object.fromEntries(Object.entries(itemToJson(item)));
}

function bytesOf({ before = {}, after = {} }: Pick<Change, 'before' | 'after'>): number {
  return itemSize(before) + itemSize(after);
}

/** The attributes in which the images of a change differ. */
export function differing({ before = {}, after = {} }: Change): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !equal(attribute(before, name), attribute(after, name)));
}
