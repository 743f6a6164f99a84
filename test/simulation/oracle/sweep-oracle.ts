import type { Findings } from '../../../src/develop/testing/simulation/oracle/findings.ts';
import type { Lives } from '../../../src/develop/testing/simulation/oracle/lives.ts';
import { isWide } from '../../../src/develop/testing/simulation/oracle/relation.ts';
import type { ModelArchive } from '../../../src/develop/testing/table-model/model-archive.ts';
import type { Committed, ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { sameItem, sameValue } from '../../../src/develop/testing/table-model/same-value.ts';
import { type Item, type ItemKey, keyText } from '../../../src/model/item.ts';
import { objectKeyOf } from '../../../src/worker/archive/object.ts';
import { itemOf } from './archive-oracle.ts';
import { pkOf, skOf, textOf } from './attributes.ts';

const day = 86_400_000;

/** What the data model lets a sweep give an expiry, by keys: the kind, and the root that it goes with. */
function sweptAs({ pk, sk }: ItemKey): { readonly kind: string; readonly root: ItemKey } | undefined {
  const [, account, incident] = /^(acct_[^#]+)#(inc_[^#]+)$/.exec(pk) ?? [];
  if (/^acct_[^#]+#inc$/.test(pk) && sk.startsWith('inc_')) return { kind: 'Incident', root: { pk, sk } };
  if (account !== undefined && incident !== undefined && sk === 'data')
    return { kind: 'IncidentData', root: { pk: `${account}#inc`, sk: incident } };
  if (!pk.startsWith('ORDER#')) return undefined;
  if (sk === 'METADATA') return { kind: 'Order', root: { pk, sk } };
  return sk.startsWith('ITEM#') ? { kind: 'OrderItem', root: { pk, sk: 'METADATA' } } : undefined;
}

/** Whether a root is done with for ninety days, as the data model says. */
function isAged(root: Item, now: number): boolean {
  const { CreatedAt } = root;
  if (pkOf(root).startsWith('ORDER#')) {
    const since = Date.parse(`${textOf(root, 'CreatedAt')}`.replace(/(T[\d:.]+)$/, '$1Z'));
    return ['DELIVERED', 'CANCELLED'].includes(textOf(root, 'Status') ?? '') && now - since >= 90 * day;
  }
  const since = CreatedAt !== undefined && 'N' in CreatedAt ? Number(CreatedAt.N) * 1000 : Number.NaN;
  return textOf(root, 'State') === 'CLOSED' && now - since >= 90 * day;
}

/** Whether a sweep may have archived an item though nothing had given it an expiry: it, or what it goes with, had aged. */
export function mayBeSwept(key: ItemKey, lives: Lives, now: number): boolean {
  const swept = sweptAs(key);
  if (swept === undefined) return false;
  return lives.of(swept.root).some(({ item }) => item !== undefined && isAged(item, now));
}

/** Checks a write of a sweep as it takes effect: an expiry in a week, on what has aged, and stands in the archive as it is (invariant 8). */
export function checkSwept(
  change: Committed,
  archive: ModelArchive,
  table: ModelTable,
  lives: Lives,
  findings: Findings,
): void {
  const { key, before, after, at } = change;
  const where = keyText(key);
  const swept = sweptAs(key);
  if (before === undefined || after === undefined || swept === undefined) {
    findings.violated(8, 'a sweep writes what never ages', where);
    return;
  }
  const { ExpiresAt, ...rest } = after;
  if (before.ExpiresAt !== undefined || !sameItem(rest, before))
    findings.violated(8, 'a sweep writes more than an expiry where there was none', where);
  const root = keyText(swept.root) === where ? before : table.read(swept.root);
  const isRoot = root === before;
  if (isRoot && !isAged(before, at)) findings.violated(8, 'a sweep lets expire what has not aged', where);
  const inAWeek = String(Math.floor((at + 7 * day) / 1000));
  const seconds = ExpiresAt !== undefined && 'N' in ExpiresAt ? Number(ExpiresAt.N) : Number.NaN;
  const isInAWeek = seconds <= Number(inAWeek) && seconds > Number(inAWeek) - 3600 * 24;
  if (isRoot && !isInAWeek) findings.violated(8, 'a sweep gives another expiry than in a week', where);
  if (!isRoot) {
    const expiries = lives.of(swept.root).flatMap(({ item }) => item?.ExpiresAt ?? []);
    if (expiries.length === 0)
      findings.violated(8, 'a sweep lets expire what goes with a root that was given no expiry', where);
    const isItsRoots = expiries.some((one) => sameValue(one, ExpiresAt)) && (seconds + 3600 * 24) * 1000 > at;
    if (!isInAWeek && !isItsRoots)
      findings.violated(8, 'a sweep gives what goes with a root another expiry than its root', where);
  }
  const stored = archive
    .versions(objectKeyOf(swept.kind, key))
    .map(({ body }) => itemOf(JSON.parse(body).Item));
  if (stored.some((item) => sameItem(item, before))) return;
  // Its own record archives it as it is: with the expiry, and all that changed in between.
  if (isWide(before)) findings.excepted('writes of a part of a very wide copy');
  else if (stored.some((item) => isPartOf(item, before)))
    findings.excepted('attributes that no condition excludes');
  else findings.violated(8, 'a sweep lets expire what does not stand in the archive', where);
}

/** At rest, after a pass: all that has aged and that an index or a scan shows has an expiry, with what goes with it. */
export function checkLeft(table: ModelTable, now: number, findings: Findings): void {
  for (const item of table.items()) {
    const key = { pk: pkOf(item), sk: skOf(item) };
    const root = table.read(sweptAs(key)?.root ?? key);
    if (sweptAs(key) === undefined || root === undefined || item.ExpiresAt !== undefined) continue;
    // An item of another type at a companion's key.
    if (textOf(item, 'Type') === 'neighbour') continue;
    const said = textOf(root, 'GSI2PK') ?? '';
    const found = pkOf(root).startsWith('ORDER#') ? /^STATUS#(DELIVERED|CANCELLED)(#\d)?$/.test(said) : true;
    if (found && isAged(root, now) && isNumber(root.ExpiresAt))
      findings.violated(8, 'what has aged was left without an expiry', keyText(key));
  }
}

function isNumber(value: Item[string] | undefined): boolean {
  return value === undefined || 'N' in value;
}

/** Whether every attribute of an item stands in another one: what came to it meanwhile no condition can exclude. */
function isPartOf(item: Item, whole: Item): boolean {
  return Object.entries(item).every(([name, value]) => sameValue(value, whole[name]));
}
