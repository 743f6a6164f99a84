import { setTimeout } from 'node:timers/promises';
import { changesOfAggregate } from '../../develop/cost/aggregate-changes.ts';
import { changesOfRule } from '../../develop/cost/rule-changes.ts';
import type { ExampleItem, ExampleView } from '../../develop/page/protocol/item.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { DenormError } from '../../model/errors.ts';
import { type Item, keyIn } from '../../model/item.ts';
import { isOfKind } from '../../model/kind.ts';
import { allKinds, type Registry } from '../../model/registry.ts';
import type { Writer } from '../../model/rule-attributes.ts';
import type { PutPort } from '../../worker/ports.ts';

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

/** Items that exist stay as they are. */
export async function writeExample(registry: Registry, table: PutPort): Promise<void> {
  const example = exampleOf(registry);
  if (example === undefined) return;
  const { before, copies, after } = example;
  const isOwn = before !== undefined && (await table.putIfAbsent(before)).outcome === 'put';
  for (const item of copies) await table.putIfAbsent(item);
  await setTimeout(pause);
  if (isOwn) await table.overwrite(after);
  else if (before === undefined) await table.putIfAbsent(after);
}
