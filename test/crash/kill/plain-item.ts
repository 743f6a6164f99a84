/** An item as an application knows it. */
export type PlainItem = Readonly<Record<string, unknown>> & { readonly PK: string; readonly SK: string };

export interface PlainKey {
  readonly PK: string;
  readonly SK: string;
}

export const kindNames = [
  'incident',
  'participation',
  'user',
  'membership',
  'order',
  'user order',
  'item',
] as const;

export type KindName = (typeof kindNames)[number];

export function nameOf({ PK, SK }: PlainKey): string {
  return `${PK} ${SK}`;
}

/** What kind of item stands at this key, by the data model. */
export function kindAt({ PK, SK }: PlainKey): KindName {
  if (PK.endsWith('#inc')) return 'incident';
  if (PK.endsWith('#incpart')) return 'participation';
  if (PK.startsWith('SERVER#')) return 'membership';
  if (PK.startsWith('ORDER#')) return SK === 'METADATA' ? 'order' : 'item';
  return SK === '#METADATA' ? 'user' : 'user order';
}

const derived: Readonly<Record<Exclude<KindName, 'participation'>, readonly string[]>> = {
  incident: [],
  user: [],
  membership: ['username'],
  order: ['GSI2PK', 'GSI2SK'],
  'user order': ['Status', 'Total'],
  item: ['GSI3PK', 'GSI3SK'],
};

/** Of an item, what is the application's alone: the worker has no business with it. */
export function ownOf(item: PlainItem): PlainItem {
  const { PK, SK } = item;
  const kind = kindAt(item);
  if (kind === 'participation')
    return { PK, SK, ParticipantID: item['ParticipantID'], GSI1PK: item['GSI1PK'] };
  return {
    ...Object.fromEntries(Object.entries(item).filter(([name]) => !derived[kind].includes(name))),
    PK,
    SK,
  };
}

/** A text that two items share when they hold the same. */
export function textOf(item: Readonly<Record<string, unknown>> | undefined): string {
  return JSON.stringify(
    Object.entries(item ?? {})
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
