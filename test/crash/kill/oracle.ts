import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Entry } from './ledger.ts';
import { kindAt, nameOf, ownOf, type PlainItem, type PlainKey, textOf } from './plain-item.ts';

/** What the data model says of a copy: it must be gone, or this stands on it besides its own; undefined: anything may. */
type Wanted = 'gone' | Readonly<Record<string, unknown>> | undefined;

const keyNames = ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK', 'GSI3PK', 'GSI3SK'];

/** What is wrong with a table at rest, by what the applications know that they wrote and by the data model alone. */
export function differences(entries: Iterable<Entry>, items: readonly PlainItem[]): string[] {
  const there = new Map(items.map((item) => [nameOf(item), item]));
  const known = new Map([...entries].map((entry) => [nameOf(entry.key), entry]));
  const wrong: string[] = [];
  for (const [name, { key, item, presence }] of known) {
    const found = there.get(name);
    const wanted = item && wantedOf(item, rootOf(item, known), known);
    if (presence === 'gone' || wanted === 'gone') {
      if (found !== undefined) wrong.push(`${name} is still there`);
    } else if (found === undefined) {
      if (presence === 'there') wrong.push(`${name} is lost`);
    } else if (item !== undefined && textOf(ownOf(found)) !== textOf(ownOf(item)))
      wrong.push(`${name} does not say what its application wrote`);
    else if (wanted !== undefined && textOf(found) !== textOf({ ...ownOf(found), ...wanted }))
      wrong.push(`${name} is stale: the ${kindAt(key)} is ${textOf(found)}, not ${textOf(wanted)}`);
  }
  for (const name of there.keys()) if (!known.has(name)) wrong.push(`${name} was never written`);
  return wrong;
}

/** The root that a copy names, or itself. */
function rootOf(item: PlainItem, known: ReadonlyMap<string, Entry>): PlainItem | undefined {
  const key = rootKeyOf(item);
  const entry = known.get(nameOf(key));
  return entry?.presence === 'there' ? entry.item : undefined;
}

function rootKeyOf(item: PlainItem): PlainKey {
  const { PK, SK } = item;
  switch (kindAt(item)) {
    case 'participation': {
      const [account = '', incident = ''] = PK.split('#');
      return { PK: `${account}#inc`, SK: incident };
    }
    case 'membership':
      return { PK: `USER#${item['userId']}`, SK: '#METADATA' };
    case 'user order':
      return { PK: `ORDER#${item['OrderId']}`, SK: 'METADATA' };
    case 'item':
      return { PK, SK: 'METADATA' };
    default:
      return { PK, SK };
  }
}

function wantedOf(item: PlainItem, root: PlainItem | undefined, known: ReadonlyMap<string, Entry>): Wanted {
  switch (kindAt(item)) {
    case 'incident':
    case 'user':
      return {};
    case 'participation':
      return root === undefined ? 'gone' : onParticipation(root);
    case 'membership':
      return root && { username: root['username'] };
    case 'order':
      return { GSI2PK: `STATUS#${item['Status']}`, GSI2SK: `ORDER#${item['CreatedAt']}` };
    case 'user order': {
      if (root === undefined) return known.get(nameOf(rootKeyOf(item)))?.expires ? undefined : 'gone';
      const placed = item.PK === `USER#${root['UserId']}` && item.SK === `ORDER#${root['CreatedAt']}`;
      return placed ? { Status: root['Status'], Total: root['Total'] } : 'gone';
    }
    case 'item':
      return root && { GSI3PK: `PRODUCT#${item['ProductId']}`, GSI3SK: `SALE#${root['CreatedAt']}` };
  }
}

/** All that the incident says of itself. */
function onParticipation(root: PlainItem): Readonly<Record<string, unknown>> {
  const said = Object.entries(root).filter(
    ([name]) => !keyNames.includes(name) && name !== 'ExpiresAt' && name !== 'ParticipantID',
  );
  const time = new Date(Number(root['CreatedAt']) * 1000).toISOString().slice(0, 19);
  return { ...Object.fromEntries(said), GSI1SK: `${root['State']}#${time}Z` };
}

/** What is wrong with the archive: it must contain items with an expiry as they are, and expired ones as they last were. */
export function archiveDifferences(
  folder: string,
  entries: Iterable<Entry>,
  items: readonly PlainItem[],
): string[] {
  const there = new Map(items.map((item) => [nameOf(item), item]));
  return [...entries].flatMap(({ key, item, expires }) => {
    const kind = { incident: 'Incident', order: 'Order' }[String(kindAt(key))];
    const current = there.get(nameOf(key));
    if (kind === undefined || (current?.['ExpiresAt'] === undefined && expires !== true)) return [];
    const path = join(folder, 'archive', kind, encodeURIComponent(key.PK), `${key.SK}.json`);
    if (current !== undefined)
      return itemsIn(path).some((item) => textOf(item) === textOf(current))
        ? []
        : [`${nameOf(key)} is not in the archive as it is`];
    const states = existsSync(dirname(path))
      ? readdirSync(dirname(path))
          .map((name) => join(dirname(path), name))
          .filter((name) => name.startsWith(path))
          .flatMap(itemsIn)
      : [];
    return states.some((state) => item !== undefined && textOf(ownOf(state)) === textOf(ownOf(item)))
      ? []
      : [`${nameOf(key)} has expired, and is not in the archive as it was`];
  });
}

/** The newest version of the object in this folder; none if a put was killed before it. */
function itemsIn(path: string): PlainItem[] {
  const version = existsSync(path) ? readdirSync(path).sort().at(-1) : undefined;
  if (version === undefined) return [];
  const item = unmarshall(JSON.parse(readFileSync(join(path, version, 'body'), 'utf8')).Item);
  return [{ ...item, PK: String(item['PK']), SK: String(item['SK']) }];
}
