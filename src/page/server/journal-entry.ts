import { type Change, changedNames } from '../../model/items/change.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { attribute, type Item } from '../../model/items/item.ts';
import { itemSize } from '../../model/items/item-size.ts';
import type { ChangeDetail, ChangeView, CopyDetail, Difference, RuleOfChange } from '../protocol/changes.ts';

/** What the list of changes shows of one: attributes, and the size of a value and the length of a name. */
const listed = { attributes: 10, bytes: 200 };

/** Copies of a change that are kept: others are only counted. */
const maxCopies = 100;

type Images = Pick<Change, 'before' | 'after'>;

export type RuleMatch = Pick<RuleOfChange, 'rule' | 'why' | 'asks' | 'root'>;

export interface JournalEntry {
  readonly view: ChangeView;
  /** The journal's version when it changed last. */
  version: number;
  /** Undefined once it is forgotten, that of the copies too. */
  content: Images | undefined;
  copies: (Omit<CopyDetail, keyof Images> & Images)[];
  contentBytes: number;
}

export function isWork({ asks }: RuleMatch): boolean {
  return asks === 'propagation' || asks === 'archive';
}

export function newEntry(
  change: Change,
  matches: readonly RuleMatch[],
  facts: Pick<ChangeView, 'id' | 'kinds' | 'at' | 'byWorker' | 'cause'>,
): JournalEntry {
  const { key, before, after, expired } = change;
  const event = before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY';
  const names = changedNames(change);
  const view: ChangeView = {
    ...facts,
    key,
    event,
    expired,
    arrived: 0,
    maxLag: undefined,
    writeUnits: 0,
    differing: names.length,
    differences: event === 'MODIFY' ? differencesIn(change, names) : [],
    rules: matches.map((one) => ({
      ...one,
      counts: { written: 0, removed: 0, unchanged: 0, retried: 0, deadLettered: 0, orphans: 0 },
      state: isWork(one) ? 'waiting' : 'done',
      milliseconds: undefined,
      copies: undefined,
    })),
  };
  return { view, version: 0, content: { before, after }, copies: [], contentBytes: bytesOf(change) };
}

export function addCopy(
  entry: JournalEntry,
  { key, before, after }: Change,
  write: { readonly rule: string; readonly at: number; readonly writeUnits: number },
): void {
  const { view, content, copies } = entry;
  const lag = Math.max(0, write.at - view.at);
  view.arrived += 1;
  view.maxLag = Math.max(view.maxLag ?? 0, lag);
  view.writeUnits += write.writeUnits;
  if (copies.length >= maxCopies) return;
  const images = content === undefined ? { before: undefined, after: undefined } : { before, after };
  copies.push({ rule: write.rule, key, lag, ...images });
  entry.contentBytes += bytesOf(images);
}

export function forgetContent(entry: JournalEntry): void {
  entry.contentBytes = 0;
  entry.content = undefined;
  entry.copies = entry.copies.map((copy) => ({ ...copy, before: undefined, after: undefined }));
}

export function detailOf({ view, content, copies }: JournalEntry): ChangeDetail {
  const asJson = ({ before, after }: Images) => ({
    before: before && itemToJson(before),
    after: after && itemToJson(after),
  });
  return {
    change: view,
    contentKept: content !== undefined,
    ...asJson(content ?? { before: undefined, after: undefined }),
    copies: copies.map((copy) => ({ ...copy, ...asJson(copy) })),
  };
}

/** For a list: without large values. */
function differencesIn({ before = {}, after = {} }: Images, names: readonly string[]): Difference[] {
  const small = (item: Item, name: string) => {
    const value = attribute(item, name);
    if (value === undefined) return undefined;
    if (itemSize({ [name]: value }) > listed.bytes) return null;
    return itemToJson({ value })['value'];
  };
  return names.slice(0, listed.attributes).map((name) => ({
    name: name.slice(0, listed.bytes),
    was: small(before, name),
    is: small(after, name),
  }));
}

function bytesOf({ before = {}, after = {} }: Images): number {
  return itemSize(before) + itemSize(after);
}
