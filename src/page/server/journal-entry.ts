import { type Change, changedNames } from '../../model/items/change.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { attribute, type Item, type ItemKey, sameKey } from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import type {
  ChangeDetail,
  ChangeView,
  CopyDetail,
  Difference,
  RuleWork,
  RunCosts,
} from '../protocol/changes.ts';
import { isIdle, markOf, resultText } from './result-text.ts';
import { costText, noCosts } from './run-costs.ts';

/** What the list of changes shows of one: attributes, and the size of a value and the length of a name. */
const listed = { attributes: 10, bytes: 200 };

/** Copies of a change that are kept: others are only counted. */
const maxCopies = 100;

/** Dead-lettered items of a rule that are named. */
const maxFailed = 10;

type Images = Pick<Change, 'before' | 'after'>;

export type RuleMatch = Pick<RuleWork, 'rule' | 'why' | 'asks' | 'root'>;

/** A change as it is kept: what became of its rules is put into words when it is told. */
type KeptChange = Omit<ChangeView, 'rules' | 'isIdle' | 'cost'> & { readonly rules: readonly RuleWork[] };

export interface JournalEntry {
  readonly view: KeptChange;
  /** The journal's version when it changed last. */
  version: number;
  /** The functions that have been given it. */
  readonly begun: Set<'propagation' | 'archive'>;
  costs: RunCosts;
  /** Undefined once it is forgotten, that of the copies too. */
  content: Images | undefined;
  copies: (Omit<CopyDetail, keyof Images> & Images)[];
  contentBytes: number;
}

export function isWork({ asks }: RuleMatch): boolean {
  return asks === 'propagation' || asks === 'archive' || asks === 'fault';
}

export function newEntry(
  change: Change,
  matches: readonly RuleMatch[],
  facts: Pick<ChangeView, 'id' | 'kinds' | 'at' | 'byWorker' | 'cause'>,
): JournalEntry {
  const { key, before, after, expired } = change;
  const event = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
  const names = changedNames(change);
  const view: KeptChange = {
    ...facts,
    key,
    event,
    expired,
    arrived: 0,
    maxLag: undefined,
    differing: names.length,
    differences: event === 'MODIFY' ? differencesIn(change, names) : [],
    rules: matches.map((one) => ({
      ...one,
      counts: {
        ...{ written: 0, removed: 0, unchanged: 0, retried: 0, deadLettered: 0 },
        ...{ orphans: 0, foreign: 0, skipped: 0, absent: 0 },
      },
      failed: [],
      state: one.asks === 'nothing' ? 'done' : 'waiting',
      milliseconds: undefined,
      copies: undefined,
    })),
  };
  const content = { before, after };
  return {
    view,
    version: 0,
    begun: new Set(),
    costs: noCosts,
    content,
    copies: [],
    contentBytes: bytesOf(change),
  };
}

export function addCopy(
  entry: JournalEntry,
  { key, before, after }: Change,
  write: Pick<CopyDetail, 'rule' | 'kind'> & { readonly at: number },
): void {
  const { view, content, copies } = entry;
  const lag = Math.max(0, write.at - view.at);
  view.arrived += 1;
  view.maxLag = Math.max(view.maxLag ?? 0, lag);
  if (copies.length >= maxCopies) return;
  const images = content === undefined ? { before: undefined, after: undefined } : { before, after };
  copies.push({ rule: write.rule, kind: write.kind, key, lag, ...images });
  entry.contentBytes += bytesOf(images);
}

/** An item that fails again is still one. */
export function addFailed({ counts, failed }: RuleWork, key: ItemKey, reason: string): void {
  const known = failed.find((one) => sameKey(one.key, key));
  if (known !== undefined) {
    known.reason = reason;
    return;
  }
  counts.deadLettered += 1;
  if (failed.length < maxFailed) failed.push({ key, reason });
}

export function forgetContent(entry: JournalEntry): void {
  entry.contentBytes = 0;
  entry.content = undefined;
  entry.copies = entry.copies.map((copy) => ({ ...copy, before: undefined, after: undefined }));
}

/** @param kindOf gives the kind of a rule's copies */
export function toldOf({ view, costs }: JournalEntry, kindOf: (rule: string) => string): ChangeView {
  const rules = view.rules.map((one) => ({
    ...one,
    text: resultText(one, kindOf(one.rule)),
    mark: markOf(one),
  }));
  return { ...view, rules, isIdle: isIdle(view.rules), cost: costText(costs) };
}

export function detailOf(entry: JournalEntry, kindOf: (rule: string) => string): ChangeDetail {
  const { content, copies } = entry;
  const asJson = ({ before, after }: Images) => ({
    before: before && itemToJson(before),
    after: after && itemToJson(after),
  });
  return {
    change: toldOf(entry, kindOf),
    contentKept: content !== undefined,
    ...asJson(content ?? { before: undefined, after: undefined }),
    copies: copies.map((copy) => ({ ...copy, ...asJson(copy) })),
  };
}

/** For a list: without large values. */
function differencesIn({ before = {}, after = {} }: Images, names: readonly string[]): Difference[] {
  return names.slice(0, listed.attributes).map((name) => ({
    name: name.slice(0, listed.bytes),
    was: listedValue(before, name),
    is: listedValue(after, name),
  }));
}

/** A value as lists have it: null if it is large. */
export function listedValue(item: Item, name: string): unknown {
  const value = attribute(item, name);
  if (value === undefined) return undefined;
  return itemSize({ [name]: value }) > listed.bytes ? null : itemToJson({ value })['value'];
}

function bytesOf({ before = {}, after = {} }: Images): number {
  return itemSize(before) + itemSize(after);
}
