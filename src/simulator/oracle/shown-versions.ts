import { type Item, type ItemKey, keyIn, keyText } from '../../model/items/item.ts';
import { type Committed, type ModelTable, versionsIn } from '../../testing/table-model/model-table.ts';
import { sameValue } from '../../testing/table-model/same-value.ts';
import type { Findings } from './findings.ts';
import { isWide, type Relation, type Wanted } from './relation.ts';

interface Update {
  readonly relation: Relation;
  readonly root: ItemKey;
  readonly before: Item;
  readonly after: Item;
  readonly where: string;
}

type Version = Pick<Committed, 'after' | 'sequence'>;

/** No write may show an earlier version of a root than the copy showed last, or a mix of two (promise 2). Exceptions: docs/design.md. */
export class ShownVersions {
  private readonly table: ModelTable;
  private readonly findings: Findings;
  private readonly shown = new Map<string, number>();

  constructor(table: ModelTable, findings: Findings) {
    this.table = table;
    this.findings = findings;
  }

  created({ rule }: Relation, root: ItemKey, where: string): void {
    this.shown.set(`${rule} ${where}`, this.table.changesOf(root).length - 1);
  }

  /** An application that writes a copy decides anew what it shows: the root as it is, or anything. */
  forget(relation: Relation, { key, before, after }: Committed): void {
    const isSame =
      before !== undefined &&
      after !== undefined &&
      !differingNames(before, after).some((name) => relation.concerns(name));
    if (isSame) return;
    const shown = `${relation.rule} ${keyText(key)}`;
    const rootKey = after && relation.rootOf(after);
    const root = rootKey && this.table.read(rootKey);
    if (rootKey && root && keyText(rootKey) !== keyText(key) && shows(relation, root, after, after))
      this.shown.set(shown, this.table.changesOf(rootKey).length - 1);
    else this.shown.delete(shown);
  }

  /** @returns false if no version of the root is what it shows */
  isVersion({ relation, root, before, after, where }: Update): boolean {
    const itself = keyText(root) === where;
    const versions: readonly Version[] = itself
      ? [{ after: before, sequence: 0n }]
      : this.table.changesOf(root);
    const matching = versions.flatMap(({ after: item }, index) =>
      item !== undefined && shows(relation, item, before, after) ? [index] : [],
    );
    if (matching.length === 0) return this.isPartOfWide(relation, versions, before, after);
    if (!isWide(before)) this.countUnseen(relation, root, before, after);
    const shown = `${relation.rule} ${where}`;
    const last = this.shown.get(shown) ?? 0;
    const next = matching.find((index) => index >= last);
    if (next !== undefined) {
      this.shown.set(shown, next);
      return true;
    }
    const newest = matching.at(-1) ?? 0;
    const written = versions[newest]?.after ?? {};
    const flipped = versions
      .slice(0, newest + 1)
      .some(({ after: item }) => item && seemed(relation, item, written, before));
    const shownSince = versions[last]?.sequence ?? 0n;
    if (flipped || this.cameBack(relation, written, before, shownSince))
      this.findings.excepted('flips within a propagation');
    else if (isWide(before)) this.findings.excepted('writes of a part of a very wide copy');
    else if (!this.isPartOfWide(relation, versions.slice(last), before, after))
      this.findings.violated(2, 'the worker goes back to an older value of a root', where);
    this.shown.set(shown, newest);
    return true;
  }

  /**
   * A propagation that read the copy when it looked like this finds its condition met, whoever wrote what meanwhile: also where the
   * copy has got an attribute that neither it nor the root had then.
   */
  private cameBack(relation: Relation, written: Item, before: Item, shownSince: bigint): boolean {
    const wanted = relation.wanted(written, before);
    const changes = this.table.changesOf(keyIn(this.table.names, before));
    return changes.some(
      ({ after: item, sequence }) =>
        item &&
        sequence < shownSince &&
        differingNames(item, before).every(
          (name) => !relation.concerns(name) || (item[name] === undefined && !wanted?.has(name)),
        ),
    );
  }

  /** One write or condition may not take all attributes of a very wide copy: the rest follows, and what others write meanwhile is not excluded. */
  private isPartOfWide(relation: Relation, versions: readonly Version[], before: Item, after: Item): boolean {
    const roots = versionsIn(versions);
    if (![before, after, ...roots].some(isWide)) return false;
    const isPart = roots.some((item) => showsPart(relation, item, before, after));
    if (isPart) this.findings.excepted('writes of a part of a very wide copy');
    return isPart;
  }

  /** Attributes that came to a strict mirror after it was read, and that the write could not know of. */
  private countUnseen(relation: Relation, rootKey: ItemKey, before: Item, after: Item): void {
    const root = this.table.read(rootKey);
    const wanted = root && relation.wanted(root, before);
    if (wanted === undefined) return;
    const unseen = [...wanted].some(
      ([name, value]) => value === undefined && after[name] !== undefined && after[name] === before[name],
    );
    if (unseen) this.findings.excepted('attributes that no condition excludes');
  }
}

export function differingNames(before: Item, after: Item): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !sameValue(before[name], after[name]),
  );
}

function wantedOf(relation: Relation, root: Item, copy: Item): Wanted | undefined {
  return relation.locations(root, copy) === true ? relation.wanted(root, copy) : undefined;
}

/** What is to go may still be there where the write did not touch it: no condition excludes attributes that were not read. */
function shows(relation: Relation, root: Item, before: Item, after: Item): boolean {
  const wanted = wantedOf(relation, root, before);
  if (wanted === undefined) return false;
  return [...wanted].every(
    ([name, value]) =>
      sameValue(after[name], value) ||
      (value === undefined && before !== after && sameValue(before[name], after[name])),
  );
}

/** Whether a copy looked like this root to a propagation that had read `written`. */
function seemed(relation: Relation, root: Item, written: Item, before: Item): boolean {
  const wanted = wantedOf(relation, root, before);
  if (wanted === undefined) return false;
  return [...wanted].every(
    ([name, value]) => sameValue(before[name], value) || (value === undefined && written[name] === undefined),
  );
}

function showsPart(relation: Relation, root: Item, before: Item, after: Item): boolean {
  const wanted = wantedOf(relation, root, before);
  return (
    wanted !== undefined &&
    differingNames(before, after).every(
      (name) => wanted.has(name) && sameValue(after[name], wanted.get(name)),
    )
  );
}
