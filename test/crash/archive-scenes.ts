import type { Item, ItemKey } from '../../src/model/item.ts';
import { digestOf, finalObjectKeyOf, objectKeyOf } from '../../src/worker/archive/object.ts';
import { item } from '../fixtures/model/items.ts';
import type { CrashingWorker } from './crashing-worker.ts';
import { each } from './scene.ts';

/** What happens to items that are going to expire, and which states are to stand in the archive then, and where. */
export interface ArchiveScene {
  /** What happens before; the worker has seen to it. */
  before(worker: CrashingWorker): unknown;
  change(worker: CrashingWorker): unknown;
  /** Items by object, each version of it. */
  kept(worker: CrashingWorker): ReadonlyMap<string, readonly Item[]>;
}

interface Keys {
  readonly PK: string;
  readonly SK: string;
  readonly Type?: string;
}

/** An item of each archived kind, in turn. */
const kinds: readonly [kind: string, (id: number) => Keys][] = [
  ['Incident', (id) => ({ PK: 'acct_1#inc', SK: `inc_${id}` })],
  ['IncidentData', (id) => ({ PK: `acct_1#inc_${id}`, SK: 'data' })],
  ['Order', (id) => ({ PK: `ORDER#${id}`, SK: 'METADATA', Type: 'Order' })],
  ['OrderItem', (id) => ({ PK: `ORDER#${id}`, SK: 'ITEM#a/b', Type: 'OrderItem' })],
  ['UserProfile', (id) => ({ PK: `USER#${id}`, SK: 'PROFILE', Type: 'UserProfile' })],
];

interface Subject {
  readonly key: ItemKey;
  readonly object: string;
  item(said: string, expires?: boolean): Item;
}

function subject(index: number): Subject {
  const [kind, keys] = kinds[index % kinds.length] ?? ['', () => ({ PK: '', SK: '' })];
  const names = keys(index);
  const key = { pk: names.PK, sk: names.SK };
  return {
    key,
    object: objectKeyOf(kind, key),
    item: (said, expires = true) =>
      item({ ...names, Said: said, ...(expires && { ExpiresAt: 1_800_000_000 }) }),
  };
}

/** By what happens, with so many items. */
export const archiveScenes: Readonly<Record<string, (items: number) => ArchiveScene>> = {
  'items are given an expiry, and change once more': (items) => {
    const subjects = each(items, subject);
    return {
      before: ({ table }) => subjects.map((one) => table.put(one.item('first', false))),
      change({ table }) {
        for (const one of subjects) table.put(one.item('first'));
        for (const one of subjects) table.put(one.item('last'));
      },
      kept: () => new Map(subjects.map((one) => [one.object, [one.item('last')]])),
    };
  },
  'archived items change': (items) => {
    const subjects = each(items, subject);
    return {
      before: ({ table }) => subjects.map((one) => table.put(one.item('first'))),
      change: ({ table }) => subjects.map((one) => table.put(one.item('last'))),
      kept: () => new Map(subjects.map((one) => [one.object, [one.item('first'), one.item('last')]])),
    };
  },
  'archived items expire as they stand there': (items) => {
    const subjects = each(items, subject);
    return {
      before: ({ table }) => subjects.map((one) => table.put(one.item('first'))),
      change: ({ table }) => subjects.map((one) => table.expire(one.key)),
      kept: () => new Map(subjects.map((one) => [one.object, [one.item('first')]])),
    };
  },
  'archived items change, expire and are put again': (items) => {
    const subjects = each(items, subject);
    return {
      before: ({ table }) => subjects.map((one) => table.put(one.item('first'))),
      change({ table }) {
        for (const one of subjects) {
          table.put(one.item('last'));
          table.expire(one.key);
          table.put(one.item('again'));
        }
      },
      kept: ({ table }) =>
        new Map<string, readonly Item[]>(
          subjects.flatMap((one) => [
            [one.object, [one.item('first'), one.item('again')]] as const,
            ...table.history
              .filter(({ by, key }) => by === 'service' && key.pk === one.key.pk && key.sk === one.key.sk)
              .map(({ sequence }) => [finalObjectKeyOf(one.object, sequence), [one.item('last')]] as const),
          ]),
        ),
    };
  },
  'items are given an expiry, are deleted by a user, and are put again': (items) => {
    const subjects = each(items, subject);
    return {
      before: ({ table }) => subjects.map((one) => table.put(one.item('first', false))),
      change({ table }) {
        for (const one of subjects) table.put(one.item('last'));
        for (const one of subjects) table.delete(one.key);
        for (const one of subjects) table.put(one.item('again'));
      },
      kept: () => new Map(subjects.map((one) => [one.object, [one.item('again')]])),
    };
  },
};

/** How the archive differs from what it is to hold, each version of each object by its content. */
export function archiveDifferences(worker: CrashingWorker, scene: ArchiveScene): string[] {
  const { archive, queue } = worker;
  const kept = scene.kept(worker);
  return [
    ...[...kept].flatMap(([object, items]) => {
      const wanted = items.map((one) => `${digestOf(one)} ${JSON.stringify({ Item: one })}`);
      const there = archive
        .versions(object)
        .map(({ digest, body }) => `${digest} ${JSON.stringify(JSON.parse(body))}`);
      return JSON.stringify(there) === JSON.stringify(wanted)
        ? []
        : [
            `${object}: expected ${wanted.length} versions, there are ${there.length}, or they say something else`,
          ];
    }),
    ...archive
      .keys()
      .filter((object) => !kept.has(object))
      .map((object) => `${object} is not to be there`),
    ...queue.deadLettered.map(({ code }) => `dead-lettered: ${code}`),
    ...queue.sent.map(() => 'something was handed to the queue'),
  ];
}
