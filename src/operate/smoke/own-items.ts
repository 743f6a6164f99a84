import { setTimeout as delay } from 'node:timers/promises';
import { DenormError } from '../../model/errors.ts';
import { type ItemKey, keyAsJson, keyIn, keysIn, keyText } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import { fromAws } from '../../worker/adapters/aws-errors.ts';
import type { PutPort } from '../../worker/ports.ts';
import type { Step } from './smoke-test.ts';

/** How long a write of an invocation that has read an item just before may still come, in milliseconds. */
const inFlight = 5_000;

export interface OwnItemsOptions {
  readonly table: TableNames;
  /** Part of the key of every item and object of this run, and of no other. */
  readonly run: string;
  readonly puts: PutPort;
  readonly removeItem: (key: ItemKey) => Promise<void>;
  readonly eraseObject: (objectKey: string) => Promise<void>;
}

/** The items of a run, and their objects in the archive. Nothing else is ever written or removed. */
export class OwnItems {
  private readonly options: OwnItemsOptions;
  private readonly items = new Map<string, ItemKey>();
  private readonly objects = new Set<string>();

  constructor(options: OwnItemsOptions) {
    this.options = options;
  }

  /** Puts and removes items as an application does. */
  async write({ puts, removes }: Pick<Step, 'puts' | 'removes'>): Promise<void> {
    const { table, puts: port, removeItem } = this.options;
    // Before the puts: an answer may be lost on the way.
    this.expect([...keysIn(table, puts), ...removes], []);
    for (const item of puts) {
      const { outcome } = await port.overwrite(item);
      if (outcome === 'refused')
        throw new DenormError(
          'smoke.refused',
          `Expected DynamoDB to accept the item ${keyText(keyIn(table, item))}, but it refuses it: report this`,
        );
    }
    for (const key of removes) await removeItem(key);
  }

  /** Says which items and objects the functions may make. */
  expect(keys: readonly ItemKey[], objectKeys: readonly string[]): void {
    for (const name of [...keys.map(keyText), ...objectKeys])
      if (!name.includes(this.options.run)) throw new Error(`Expected a key of this run, got ${name}`);
    for (const key of keys) this.items.set(keyText(key), key);
    for (const objectKey of objectKeys) this.objects.add(objectKey);
  }

  /** Removes everything, whatever becomes of the others. @returns what could not be removed, and why */
  async removeAll(): Promise<readonly string[]> {
    const { table, removeItem, eraseObject } = this.options;
    const removeItems = () => {
      const removals = [...this.items.values()].map((key) => leftBy(keyAsJson(table, key), removeItem(key)));
      return Promise.all(removals);
    };
    await removeItems();
    if (this.items.size > 0) await delay(inFlight);
    const items = await removeItems();
    // An item that is gone is not archived again.
    const objects = [...this.objects].map((name) => leftBy(`all versions of ${name}`, eraseObject(name)));
    return [...items, ...(await Promise.all(objects))].flat();
  }
}

async function leftBy(what: string, removal: Promise<void>): Promise<string[]> {
  try {
    await removal;
    return [];
  } catch (error) {
    return [`${what}: ${fromAws(error, 'Its removal').message}`];
  }
}
