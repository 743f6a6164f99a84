import type { Findings } from '../../../src/develop/testing/simulation/oracle/findings.ts';
import type { Lives } from '../../../src/develop/testing/simulation/oracle/lives.ts';
import type { ModelArchive } from '../../../src/develop/testing/table-model/model-archive.ts';
import type { Committed, ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { sameItem } from '../../../src/develop/testing/table-model/same-value.ts';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';
import { type Item, type ItemKey, keyText } from '../../../src/model/item.ts';
import { mayBeSwept } from './sweep-oracle.ts';

/** What the data model archives, by keys, and what becomes of it when a user deletes the item. */
function archivedAs({
  pk,
  sk,
}: ItemKey): { kind: string; onDelete: 'keep' | 'erase' | 'archive' } | undefined {
  const kept = (kind: string) => ({ kind, onDelete: 'keep' as const });
  if (/^acct_[^#]+#inc$/.test(pk) && sk.startsWith('inc_')) return kept('Incident');
  if (/^acct_[^#]+#inc_[^#]+$/.test(pk) && sk === 'data') return kept('IncidentData');
  if (pk.startsWith('ORDER#') && sk === 'METADATA') return kept('Order');
  if (pk.startsWith('ORDER#') && sk.startsWith('ITEM#')) return kept('OrderItem');
  if (pk.startsWith('USER#') && sk === 'PROFILE') return kept('UserProfile');
  if (pk.startsWith('SECRET#')) return { kind: 'Secret', onDelete: 'erase' };
  if (pk.startsWith('NOTE#')) return kept('Note');
  return pk.startsWith('PIN') ? { kind: 'Pin', onDelete: 'archive' } : undefined;
}

/** What the rule of notes leaves out: drafts. */
export function isLeftOut(item: Item | undefined): boolean {
  return (
    keyPart(item?.PK).startsWith('NOTE#') &&
    item?.Draft !== undefined &&
    'BOOL' in item.Draft &&
    item.Draft.BOOL
  );
}

interface Stored {
  readonly objectKey: string;
  readonly kind: string;
  readonly key: ItemKey;
  /** The sequence number of a last state that stands by itself. */
  readonly final: bigint | undefined;
  /** Every version, oldest first. */
  readonly items: readonly Item[];
}

/**
 * Checks that each life of what expired can be restored as it last was, that nothing stands there that never was, and
 * that what users deleted is kept, erased or archived as its rule says (invariant 5).
 * @param cutShort keys of objects that an invocation had put or erased when it was cut off
 */
export function checkArchive(
  archive: ModelArchive,
  table: ModelTable,
  lives: Lives,
  cutShort: ReadonlySet<string>,
  findings: Findings,
): void {
  // Batches are read through their manifests, by the oracle of states.
  const single = archive.keys().filter((objectKey) => !objectKey.endsWith('.ndjson.gz'));
  const stored = single.map((objectKey) => read(archive, objectKey));
  const ends = table.history.filter(({ key, after }) => after === undefined && archivedAs(key) !== undefined);
  const cut = (objectKey: string): boolean => cutShort.has(objectKey.replace(/\.\d+$/, ''));
  for (const one of stored) {
    checkStored(one, lives, ends, table.history.at(-1)?.at ?? 0, findings);
    if (archivedAs(one.key)?.onDelete === 'erase')
      checkErased(one, table.history, cut(one.objectKey), findings);
  }
  for (const end of ends) {
    const { key, before } = end;
    const onDelete = archivedAs(key)?.onDelete;
    if ((end.by !== 'service' && onDelete !== 'archive') || isLeftOut(before)) continue;
    if (
      onDelete === 'erase' &&
      ends.some((later) => isDeletionOf(key, later) && later.sequence > end.sequence)
    )
      continue;
    if (
      !stored.some(
        (one) => keyText(one.key) === keyText(key) && one.items.some((item) => sameItem(item, before)),
      )
    )
      findings.violated(5, 'what is gone cannot be restored as it last was', keyText(key));
  }
  for (const item of table.items()) {
    const key = { pk: keyPart(item.PK), sk: keyPart(item.SK) };
    const as = archivedAs(key);
    if (item.ExpiresAt === undefined || as === undefined || isLeftOut(item)) continue;
    const current = stored.find((one) => keyText(one.key) === keyText(key) && one.final === undefined);
    if (sameItem(current?.items.at(-1), item)) continue;
    if (
      as.onDelete === 'erase' &&
      [...cutShort].some((objectKey) => keyText(keyOfObject(objectKey)) === keyText(key))
    )
      findings.excepted('erasures crossed by an invocation that was cut off');
    else findings.violated(5, 'what is going to expire does not stand in the archive', keyText(key));
  }
}

function checkStored(
  one: Stored,
  lives: Lives,
  ends: readonly Committed[],
  now: number,
  findings: Findings,
): void {
  const where = keyText(one.key);
  const as = archivedAs(one.key);
  if (as?.kind !== one.kind) findings.violated(5, 'the archive holds what is never archived', where);
  const lastOnly = as?.onDelete === 'archive' && one.final !== undefined;
  if (one.items.some(isLeftOut)) findings.violated(5, 'the archive holds what its rule leaves out', where);
  for (const item of one.items)
    if (
      !lives.of(one.key).some((version) => sameItem(version.item, item)) ||
      (item.ExpiresAt === undefined && !lastOnly && !mayBeSwept(one.key, lives, now))
    )
      findings.violated(5, 'the archive holds what never was, or was not to expire', where);
  if (one.final === undefined) return;
  const end = ends.find(({ sequence }) => sequence === one.final);
  if (end === undefined || (end.by !== 'service' && as?.onDelete !== 'archive'))
    findings.violated(5, 'what did not expire is taken for expired', where);
  else if (!one.items.every((item) => sameItem(item, end.before)))
    findings.violated(5, 'a last state is not what expired', where);
}

/** Of an item that a user has deleted, only what came after stands in the archive. */
function checkErased(one: Stored, history: readonly Committed[], cut: boolean, findings: Findings): void {
  const deletion = history.findLast((change) => isDeletionOf(one.key, change))?.sequence;
  if (deletion === undefined) return;
  const since = history.filter(
    (change) => keyText(change.key) === keyText(one.key) && change.sequence > deletion,
  );
  const left = one.items.filter((item) => !since.some(({ after }) => sameItem(after, item)));
  if (left.length === 0 && (one.final === undefined || one.final > deletion)) return;
  if (cut) findings.excepted('erasures crossed by an invocation that was cut off');
  else findings.violated(5, 'what a user had erased stands in the archive', keyText(one.key));
}

function isDeletionOf(key: ItemKey, { key: other, by, after }: Committed): boolean {
  return by !== 'service' && after === undefined && keyText(other) === keyText(key);
}

function read(archive: ModelArchive, objectKey: string): Stored {
  const [, kind = '', pk] = objectKey.split('/');
  const items = archive.versions(objectKey).map(({ body }) => itemOf(JSON.parse(body).Item));
  // Where the item's key would be too long for S3, only the body says whose state it is.
  const key =
    pk === '%sha256' ? { pk: keyPart(items[0]?.PK), sk: keyPart(items[0]?.SK) } : keyOfObject(objectKey);
  return { objectKey, kind: decodeURIComponent(kind), key, final: finalOf(objectKey), items };
}

function keyOfObject(objectKey: string): ItemKey {
  const [, , pk = '', sk = ''] = objectKey.split('/');
  return { pk: decodeURIComponent(pk), sk: decodeURIComponent(sk.replace(/\.json(\.\d+)?$/, '')) };
}

function finalOf(objectKey: string): bigint | undefined {
  const digits = /\.json\.(\d+)$/.exec(objectKey)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

export function itemOf(json: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, valueFrom(value)]));
}

function valueFrom(json: unknown): AttributeValue {
  if (typeof json !== 'object' || json === null) throw new TypeError('Expected DynamoDB JSON');
  if ('S' in json) return { S: String(json.S) };
  if ('N' in json) return { N: String(json.N) };
  if ('BOOL' in json) return { BOOL: json.BOOL === true };
  if ('NULL' in json) return { NULL: true };
  if ('B' in json) return { B: new Uint8Array(Buffer.from(String(json.B), 'base64')) };
  if ('SS' in json && Array.isArray(json.SS)) return { SS: json.SS.map(String) };
  if ('NS' in json && Array.isArray(json.NS)) return { NS: json.NS.map(String) };
  if ('L' in json && Array.isArray(json.L)) return { L: json.L.map(valueFrom) };
  if ('M' in json && typeof json.M === 'object' && json.M !== null) return { M: itemOf({ ...json.M }) };
  throw new TypeError('Expected DynamoDB JSON');
}

function keyPart(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}
