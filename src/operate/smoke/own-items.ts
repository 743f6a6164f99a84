import { DenormError } from '../../model/basics/errors.ts';
import { type Item, type ItemKey, keyAsJson, keyed, keyText } from '../../model/items/item.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { fromAws } from '../../worker/adapters/aws-errors.ts';
import type { ClockPort, PutPort } from '../../worker/ports.ts';

/** How long a write of an invocation that has read an item just before may still come. */
const inFlightMs = 5_000;

export interface OwnItemsOptions {
  readonly table: TableNames;
  /** Part of the key of every item and object of this run, and of no other. */
  readonly run: string;
  readonly puts: PutPort;
  readonly removeItem: (key: ItemKey) => Promise<void>;
  readonly eraseObject: (objectKey: string) => Promise<void>;
  readonly clock: ClockPort;
}

/** What an application writes in one step. */
export interface Writes {
  readonly puts: readonly Item[];
  readonly removes: readonly ItemKey[];
}

export type OwnItems = ReturnType<typeof ownItems>;

/** The items of a run, and their objects in the archive. Nothing else is ever written or removed. */
export function ownItems({ table, run, puts: port, removeItem, eraseObject, clock }: OwnItemsOptions) {
  const keys = new Map<string, ItemKey>();
  const objects = new Set<string>();

  /** Says which items and objects the functions may make. */
  function expect(expected: readonly ItemKey[], objectKeys: readonly string[]): void {
    for (const name of [...expected.map(keyText), ...objectKeys])
      if (!name.includes(run)) throw new Error(`Expected a key of this run, got ${name}`);
    for (const key of expected) keys.set(keyText(key), key);
    for (const objectKey of objectKeys) objects.add(objectKey);
  }

  const removeItems = () =>
    Promise.all([...keys.values()].map((key) => failuresOf(keyAsJson(table, key), removeItem(key))));

  return {
    expect,
    /** Puts and removes items as an application does. */
    async write({ puts, removes }: Writes): Promise<void> {
      // Before the puts: an answer may be lost on the way.
      const items = puts.map((item) => keyed(table, item));
      expect([...items.map(({ key }) => key), ...removes], []);
      for (const { key, item } of items) {
        const { outcome } = await port.overwrite(item);
        if (outcome === 'refused')
          throw new DenormError(
            'smoke.refused',
            `Expected DynamoDB to accept the item ${keyText(key)}, but it refuses it: report this`,
          );
      }
      for (const key of removes) await removeItem(key);
    },
    /**
     * Removes everything, whatever becomes of the others.
     * @returns what could not be removed, and why
     */
    async removeAll(): Promise<readonly string[]> {
      await removeItems();
      if (keys.size > 0) await clock.sleep(inFlightMs);
      const failures = await removeItems();
      // An item that is gone is not archived again.
      const erasures = [...objects].map((name) => failuresOf(`all versions of ${name}`, eraseObject(name)));
      return [...failures, ...(await Promise.all(erasures))].flat();
    },
  };
}

async function failuresOf(what: string, removal: Promise<void>): Promise<string[]> {
  try {
    await removal;
    return [];
  } catch (error) {
    return [`${what}: ${fromAws(error, 'Its removal').message}`];
  }
}
