import { setTimeout } from 'node:timers/promises';
import { changesOfAggregate } from '../../develop/cost/aggregate-changes.ts';
import { changesOfRule } from '../../develop/cost/rule-changes.ts';
import type { ExampleItem, ExampleView } from '../../develop/page/protocol/item.ts';
import type { Outcome } from '../../develop/page/protocol/trouble.ts';
import { equal } from '../../model/attribute-value.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { DenormError } from '../../model/errors.ts';
import { type Item, keyIn } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import { allKinds, type Registry } from '../../model/registry.ts';
import type { Writer } from '../../model/rule-attributes.ts';
import type { PutPort, TablePort } from '../../worker/ports.ts';

/** So long after the first items, the change is one of its own on the stream. In milliseconds. */
const pause = 600;

interface Example extends Pick<ExampleView, 'rule' | 'attribute'> {
  readonly before: Item | undefined;
  /** Of a member, its target. */
  readonly copies: readonly Item[];
  readonly after: Item;
}

/** Items that show the first rule of which any can be made. */
function exampleOf({ table, rules, aggregates }: Registry): Example | undefined {
  const changeOf = (writer: Writer) => {
    try {
      const changes =
        'root' in writer ? changesOfRule(table, writer, 0) : changesOfAggregate(table, writer, 0);
      return changes.change(1, 0);
    } catch (error) {
      if (error instanceof DenormError) return undefined;
      throw error;
    }
  };
  for (const writer of [...rules, ...aggregates]) {
    const change = changeOf(writer);
    if (change === undefined) continue;
    const { before, after, attribute, others } = change;
    const isCreated = 'root' in writer && writer.creates;
    return { rule: writer.name, before, after, attribute, copies: isCreated ? [] : others };
  }
  return undefined;
}

/** Undefined, an empty answer, if there is no example. */
export function exampleView(registry: Registry): ExampleView | undefined {
  const example = exampleOf(registry);
  if (example === undefined) return undefined;
  const { table } = registry;
  const view = (item: Item): ExampleItem => ({
    key: keyIn(table, item),
    kind: allKinds(registry).find((kind) => isOfKind(table, kind, item))?.name ?? '',
    item: itemToJson(item),
  });
  const { before, copies, after, ...rest } = example;
  return { ...rest, before: before && view(before), copies: copies.map(view), after: view(after) };
}

export type ExampleTable = PutPort & Pick<TablePort, 'get' | 'update'>;

/** Items that exist stay as they are, but for one that the example has written: that changes back and forth. */
export async function writeExample(registry: Registry, table: ExampleTable): Promise<Outcome> {
  const example = exampleOf(registry);
  if (example === undefined) return { text: 'There is no example.', isGood: false };
  const { before, copies, after } = example;
  const outcomes: string[] = [];
  for (const item of [...(before === undefined ? [] : [before]), ...copies])
    outcomes.push((await table.putIfAbsent(item)).outcome);
  if (outcomes.includes('put')) await setTimeout(pause);
  outcomes.push(
    before === undefined
      ? (await table.putIfAbsent(after)).outcome
      : await changeExample(registry, table, { ...example, before }),
  );
  if (outcomes.includes('refused'))
    return { text: 'DynamoDB takes no such item: add examples to its kind.', isGood: false };
  if (outcomes.some((outcome) => outcome === 'put' || outcome === 'written'))
    return { text: 'Written.', isGood: true };
  return {
    text: 'These items exist already, so nothing was written: edit one under Items.',
    isGood: false,
  };
}

/** Gives the item the value that it has not, of the two that the example has. */
async function changeExample(
  registry: Registry,
  table: ExampleTable,
  { before, after, attribute = '' }: Example & { readonly before: Item },
): Promise<string> {
  const key = keyIn(registry.table, before);
  const is = (await table.get(key))?.[attribute];
  const next = equal(is, before[attribute])
    ? after[attribute]
    : equal(is, after[attribute])
      ? before[attribute]
      : undefined;
  if (next === undefined) return 'exists';
  const change = { key, set: { [attribute]: next }, remove: [], expect: { [attribute]: is } };
  const [outcome = 'lost'] = await table.update([change]);
  return outcome;
}
