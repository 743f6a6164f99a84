import type { AttributeValue } from '../../../src/domain/attribute-value.ts';
import { type Item, type ItemKey, keyText } from '../../../src/domain/item.ts';
import type { ModelArchive } from '../../model/model-archive.ts';
import type { Committed, ModelTable } from '../../model/model-table.ts';
import { sameItem } from '../../model/same-value.ts';
import type { Lives } from './lives.ts';
import type { Verdict } from './verdict.ts';

/** What the data model archives, by keys. */
function archivedKind({ pk, sk }: ItemKey): string | undefined {
  if (/^acct_[^#]+#inc$/.test(pk) && sk.startsWith('inc_')) return 'Incident';
  if (/^acct_[^#]+#inc_[^#]+$/.test(pk) && sk === 'data') return 'IncidentData';
  if (pk.startsWith('ORDER#') && sk === 'METADATA') return 'Order';
  if (pk.startsWith('ORDER#') && sk.startsWith('ITEM#')) return 'OrderItem';
  return pk.startsWith('USER#') && sk === 'PROFILE' ? 'UserProfile' : undefined;
}

interface Stored {
  readonly kind: string;
  readonly key: ItemKey;
  /** The sequence number of a last state that stands beside another. */
  readonly final: string | undefined;
  /** Every version, oldest first. */
  readonly items: readonly Item[];
}

/** Checks that each life of what expired can be restored as it last was, and that nothing stands there that never was (invariant 5). */
export function judgeArchive(archive: ModelArchive, table: ModelTable, lives: Lives, verdict: Verdict): void {
  const stored = archive.keys().map((objectKey) => read(archive, objectKey));
  const ended = table.history.filter(({ by, after }) => by === 'service' && after === undefined);
  for (const one of stored) judgeStored(one, lives, ended, verdict);
  for (const { key, before } of ended) {
    const kept = stored.some(
      (one) => keyText(one.key) === keyText(key) && one.items.some((item) => sameItem(item, before)),
    );
    if (archivedKind(key) !== undefined && !kept)
      verdict.violated(5, 'what expired cannot be restored as it last was', keyText(key));
  }
  for (const item of table.items()) {
    const key = { pk: keyPart(item.PK), sk: keyPart(item.SK) };
    if (item.ExpiresAt === undefined || archivedKind(key) === undefined) continue;
    const current = stored.find((one) => keyText(one.key) === keyText(key) && one.final === undefined);
    if (!sameItem(current?.items.at(-1), item))
      verdict.violated(5, 'what is going to expire does not stand in the archive', keyText(key));
  }
}

function judgeStored(one: Stored, lives: Lives, ended: readonly Committed[], verdict: Verdict): void {
  const where = keyText(one.key);
  if (archivedKind(one.key) !== one.kind)
    verdict.violated(5, 'the archive holds what is never archived', where);
  for (const item of one.items)
    if (!lives.of(one.key).some((version) => sameItem(version.item, item)) || item.ExpiresAt === undefined)
      verdict.violated(5, 'the archive holds what never was, or was not to expire', where);
  if (one.final === undefined) return;
  const end = ended.find(({ sequence }) => String(sequence) === one.final);
  if (end === undefined) verdict.violated(5, 'what did not expire is taken for expired', where);
  else if (!one.items.every((item) => sameItem(item, end.before)))
    verdict.violated(5, 'a last state is not what expired', where);
}

function read(archive: ModelArchive, objectKey: string): Stored {
  const [, kind = '', pk = '', sk = ''] = objectKey.split('/');
  const [, name = '', final] = /^(.*)\.json(?:\.(\d+))?$/.exec(sk) ?? [];
  return {
    kind: decodeURIComponent(kind),
    key: { pk: decodeURIComponent(pk), sk: decodeURIComponent(name) },
    final,
    items: archive.versions(objectKey).map(({ body }) => itemOf(JSON.parse(body).Item)),
  };
}

function itemOf(json: Readonly<Record<string, unknown>>): Item {
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
