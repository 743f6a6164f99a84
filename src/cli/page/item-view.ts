import type { ExplainedWork, Explanation } from '../../develop/page/protocol/explanation.ts';
import type { ArchivedView, ItemView } from '../../develop/page/protocol/item.ts';
import { counted, number } from '../../develop/page/protocol/texts.ts';
import type { Outcome } from '../../develop/page/protocol/trouble.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { listItems } from '../../operate/archive/read-states.ts';
import type { ArchiveReader } from '../../worker/archive/ports.ts';
import type { Settings, TablePort } from '../../worker/ports.ts';
import { stateId } from '../archive/selection.ts';
import { explainItem } from '../explain/explain.ts';
import { keyOfJson } from '../output/text.ts';
import { copiesView } from './linked-copies.ts';

export interface ItemSource {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly settings: Settings;
  /** Undefined if nothing is archived. */
  readonly archive: ArchiveReader | undefined;
}

/** Deliveries of a propagation that are followed: a page is no place for more. */
const maxDeliveries = 4;

export async function itemView({ archive, ...source }: ItemSource, key: ItemKey): Promise<ItemView> {
  const { registry, table } = source;
  const [item, explanation, archived] = await Promise.all([
    table.get(key),
    explainItem({ ...source, maxDeliveries }, key),
    archive === undefined ? [] : archivedStates(registry, archive, key),
  ]);
  const copies = item === undefined ? [] : await copiesView(registry, table, item);
  const [{ kinds = [], problem, rules = [] } = {}] = explanation.subjects;
  return {
    ...{ key, item: item && itemToJson(item), kinds, problem, copies, archived },
    roles: rules.map(({ rule, as, of, why }) => ({ rule, as, of: of.map(keyOfJson), why })),
    now: outcomesOf(explanation),
  };
}

function outcomesOf({ rounds, cost }: Explanation): readonly Outcome[] {
  const work = rounds[0]?.work ?? [];
  if (work.length === 0) return [];
  const isPart = work.some(({ notFollowed }) => notFollowed > 0);
  const units = `${number(cost.readUnits)} RCU and ${number(cost.writeUnits.total)} WCU`;
  return [
    ...work.flatMap((one) => [
      { text: workText(one), isGood: true },
      ...one.deadLettered.map((reason) => ({ text: `It would be dead-lettered: ${reason}`, isGood: false })),
    ]),
    { text: `It would cost ${isPart ? 'more than ' : ''}${units}.`, isGood: true },
  ];
}

function workText({ rule, computes, found, notFollowed }: ExplainedWork): string {
  const { members, written, removed, unchanged } = found;
  if (!computes)
    return `${rule}: ${number(written + removed)} to write, ${number(unchanged)} right already${notFollowed > 0 ? '; others were not read' : ''}`;
  const are = written > 0 ? 'to write' : unchanged > 0 ? 'right already' : 'none: there is no such target';
  return `${rule}: totals of ${counted(members, 'member')}, ${are}`;
}

async function archivedStates(
  { archives, table }: Registry,
  reader: ArchiveReader,
  key: ItemKey,
): Promise<readonly ArchivedView[]> {
  const kinds = archives.flatMap((rule) => rule.kinds).filter((kind) => kind.idsOf(key) !== undefined);
  const views: ArchivedView[] = [];
  const filter = { kinds: [...new Set(kinds.map(({ name }) => name))], key };
  for await (const { kind, states } of listItems(reader, table, filter))
    for (const state of states.toReversed()) {
      const { archivedAt, final } = state;
      views.push({ id: stateId(state), kind, archivedAt, final });
    }
  return views;
}
