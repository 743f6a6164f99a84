import { setTimeout } from 'node:timers/promises';
import { exampleChanges } from '../../examples/example-changes.ts';
import { DenormError } from '../../model/basics/errors.ts';
import { equal } from '../../model/items/attribute-value.ts';
import { changedNames } from '../../model/items/change.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import { type Item, type ItemKey, keyIn } from '../../model/items/item.ts';
import { isOfKind } from '../../model/kinds/kind.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { ModelWorker } from '../../testing/table-model/model-worker.ts';
import type { PutPort, TablePort } from '../../worker/ports.ts';
import type { ActionOutcome, ExampleItem, ExampleView } from '../protocol/views.ts';

/** How long the change waits until the worker has processed the first items, in milliseconds. */
const maxWaitMs = 5_000;

interface Example extends Pick<ExampleView, 'rule' | 'attribute' | 'copyAttribute'> {
  readonly before: Item | undefined;
  /** The target of a member. */
  readonly copies: readonly Item[];
  readonly after: Item;
}

/** Items that show the first rule of which any can be made, or why there are none of the first. */
async function exampleOf(registry: Registry): Promise<Example | { readonly why?: string }> {
  const { rules, aggregates } = registry;
  const whys: string[] = [];
  for (const writer of [...rules, ...aggregates]) {
    const kinds = writer.is === 'rule' ? [writer.root, writer.copy] : [writer.of, writer.on];
    try {
      const { others, ...change } = exampleChanges(writer, 0).change(1, 0);
      const isCreated = 'root' in writer && writer.creates;
      const copies = isCreated ? [] : others.filter((item) => kinds.some((of) => isOfKind(of, item)));
      return { rule: writer.name, ...(await settled(registry, { ...change, copies })) };
    } catch (error) {
      const names = kinds.map(({ name }) => name).join(' and ');
      const why = `A function of ${writer.name} fails on items of its schemas: add examples to ${names}`;
      whys.push(error instanceof DenormError ? error.message : why);
    }
  }
  return whys[0] === undefined ? {} : { why: whys[0] };
}

/** The items as the worker leaves them, with their index keys and totals: once they are written, it has nothing to do. */
async function settled(
  registry: Registry,
  { before, copies, after, attribute }: Omit<Example, 'rule' | 'copyAttribute'>,
): Promise<Omit<Example, 'rule'>> {
  const worker = new ModelWorker(registry);
  const write = async (items: readonly Item[]) => {
    for (const item of items) worker.table.put(item);
    await worker.rest();
  };
  const now = (item: Item) => worker.table.read(keyIn(registry.table, item)) ?? item;
  await write(before === undefined ? copies : [before, ...copies]);
  const first = before && now(before);
  const shown = copies.map(now);
  const name = attribute ?? '';
  const value = after[name];
  const last = first === undefined || value === undefined ? after : { ...first, [name]: value };
  await write([last]);
  const changed = shown.flatMap((copy) => changedNames({ before: copy, after: now(copy) }));
  return {
    before: first,
    copies: shown,
    after: first === undefined ? now(last) : last,
    attribute,
    copyAttribute: changed.find((one) => one === attribute) ?? changed[0],
  };
}

/** Without items if there is no example. */
export async function exampleView(registry: Registry): Promise<Partial<ExampleView>> {
  const example = await exampleOf(registry);
  if (!('rule' in example)) return example;
  const { table } = registry;
  const view = (item: Item): ExampleItem => ({
    key: keyIn(table, item),
    kind: registry.kinds.find((kind) => isOfKind(kind, item))?.name ?? '',
    item: itemToJson(item),
  });
  const { before, copies, after, ...rest } = example;
  return { ...rest, before: before && view(before), copies: copies.map(view), after: view(after) };
}

type ExampleTable = Pick<PutPort, 'putIfAbsent'> & Pick<TablePort, 'get' | 'update'>;

/**
 * Items that exist stay as they are, but for one that the example has written: that changes back and forth.
 * @param hasProcessed whether the worker has done what these items ask for: then the change is one of its own on the stream, and what
 * it asks for is not done for them
 */
export async function writeExample(
  registry: Registry,
  table: ExampleTable,
  hasProcessed: (keys: readonly ItemKey[]) => boolean,
): Promise<ActionOutcome> {
  const example = await exampleOf(registry);
  if (!('rule' in example)) return { text: example.why ?? 'There is no rule.', isGood: false };
  const { before, copies, after } = example;
  const outcomes: string[] = [];
  const put = async (item: Item) => outcomes.push((await table.putIfAbsent(item)).outcome);
  const first = before === undefined ? copies : [before, ...copies];
  for (const item of first) await put(item);
  const keys = first.map((item) => keyIn(registry.table, item));
  const end = performance.now() + maxWaitMs;
  while (outcomes.includes('put') && !hasProcessed(keys) && performance.now() < end) await setTimeout(20);
  if (before === undefined) await put(after);
  else outcomes.push(await changeExample(registry, table, { ...example, before }));
  if (outcomes.includes('refused'))
    return { text: 'DynamoDB takes no such item: add examples to its kind.', isGood: false };
  if (outcomes.includes('put') || outcomes.includes('written')) return { text: 'Written.', isGood: true };
  const text = 'These items exist already, so nothing was written: edit one under Items.';
  return { text, isGood: false };
}

/** Gives the item the value that it has not, of the two that the example has. */
async function changeExample(
  registry: Registry,
  table: ExampleTable,
  { before, after, attribute = '' }: Example & { readonly before: Item },
): Promise<string> {
  const key = keyIn(registry.table, before);
  const is = (await table.get(key))?.item[attribute];
  const values = [before[attribute], after[attribute]];
  const next = values.some((value) => equal(is, value))
    ? values.find((value) => !equal(is, value))
    : undefined;
  if (next === undefined) return 'exists';
  const change = { key, set: { [attribute]: next }, remove: [], expect: { [attribute]: is } };
  const [outcome = 'lost'] = await table.update([change]);
  return outcome;
}
