import { canonicalMap } from '../../../src/model/attribute-value.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import type { Cursor } from '../../../src/model/message.ts';
import type { Page, TablePort } from '../../../src/worker/ports.ts';
import type { Operation } from './operations.ts';

/** What a table answered, as a text: two tables agree where the texts are the same. */
export type Answer = string;

/** Asks through the worker's port what the worker asks. */
export async function answerOfPort(
  port: TablePort,
  operation: Extract<Operation, { is: 'read' | 'partition' | 'index' | 'statements' | 'transaction' }>,
): Promise<Answer> {
  switch (operation.is) {
    case 'read': {
      const items = await port.getMany(operation.keys);
      return items.map(canonicalMap).sort().join('\n');
    }
    case 'partition':
      return pages(itemText, (from) => port.query(operation.location, operation.limit, from));
    case 'index':
      return [
        await pages(itemText, (from) => port.query(operation.location, operation.limit, from)),
        await pages(itemText, (from) => port.query(operation.location, operation.limit, from, true)),
      ].join('\n');
    case 'statements':
      return (await port.update(operation.updates)).join();
    case 'transaction':
      return (await port.transact(operation.root, operation.removals)).join();
  }
}

function itemText(item: Item): string {
  return canonicalMap(item);
}

/** Every page from the first to the last, with the place where the next one begins. */
async function pages<Entry extends Item | ItemKey>(
  text: (entry: Entry) => string,
  page: (from: Cursor | undefined) => Promise<Page<Entry>>,
): Promise<Answer> {
  const said: string[] = [];
  let from: Cursor | undefined;
  do {
    const { entries, next } = await page(from);
    said.push(...entries.map(text), next === undefined ? 'end' : `next after ${cursorText(next)}`);
    from = next;
  } while (from !== undefined && said.length < 1_000);
  return said.join('\n');
}

function cursorText(cursor: Cursor): string {
  return JSON.stringify(Object.entries(cursor).sort(([a], [b]) => (a < b ? -1 : 1)));
}
