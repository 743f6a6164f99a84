import type { ArchivedView, ItemView, PlannedView } from '../../develop/page/protocol/item.ts';
import type { Attributes } from '../../develop/page/protocol/project.ts';
import { itemToJson } from '../../model/dynamodb-json.ts';
import { DenormError } from '../../model/errors.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { readState, statesOf } from '../../operate/archive/read-states.ts';
import type { ArchivePort, ArchiveReader } from '../../worker/archive/ports.ts';
import type { Settings, TablePort } from '../../worker/ports.ts';
import { stateId } from '../archive/selection.ts';
import { costRows } from '../explain/cost.ts';
import { explainItem } from '../explain/explain-subjects.ts';
import { membersIn, type PlannedPropagation, PlannedWorker } from '../explain/planned-worker.ts';
import { locationWords } from '../explain/propagation-text.ts';
import { rulesOfItem } from '../explain/subject-text.ts';

export interface ItemSource {
  readonly registry: Registry;
  readonly table: TablePort;
  readonly settings: Settings;
  /** Undefined if nothing is archived. */
  readonly archive: { readonly head: Pick<ArchivePort, 'head'>; readonly reader: ArchiveReader } | undefined;
}

/** Deliveries of a propagation that are followed, and writes that are listed: a page is no place for more. */
const limits = { parts: 4, writes: 100, contents: 10 };

/** An item as it is now: what `denorm explain` says of it, and its archived states. */
export async function itemView(source: ItemSource, key: ItemKey): Promise<ItemView> {
  const { registry, table, settings, archive } = source;
  const worker = new PlannedWorker({ registry, table, settings, maxParts: limits.parts });
  const explanation = await explainItem({ registry, worker, archive: archive?.head }, table, key);
  const subject = explanation.subjects.find((one) => one.is === 'item');
  const { total } = costRows(registry.table, explanation);
  return {
    key,
    item: subject?.item === undefined ? undefined : attributesOf(subject.item),
    kinds: subject?.kinds ?? [],
    contradiction: subject?.contradiction,
    roles: subject === undefined ? [] : rulesOfItem(subject),
    planned: explanation.first.propagations.map(plannedView),
    cost: { readUnits: total.readUnits, writeUnits: total.writeUnits.total },
    archived: archive === undefined ? [] : await archivedStates(registry, archive.reader, key),
  };
}

function plannedView(planned: PlannedPropagation): PlannedView {
  const { message, aggregate, locations, parts, deadLettered, left } = planned;
  const [first] = parts;
  const count = (name: 'written' | 'removed' | 'unchanged') =>
    parts.reduce((sum, { report }) => sum + report[name], 0);
  const writes = parts
    .flatMap(({ steps }) => steps)
    .flatMap((step): PlannedView['writes'] => {
      if (step.does === 'update')
        return [{ key: step.update.key, does: doesText(Object.keys(step.update.set), step.update.remove) }];
      if (step.does === 'create') {
        const { key, item } = step.creation;
        return [{ key, does: `creates it with ${Object.keys(item).join(', ')}` }];
      }
      if (step.does === 'remove')
        return [
          {
            key: step.removal.key,
            does: step.removal.clear === undefined ? 'deletes it' : doesText([], step.removal.clear),
          },
        ];
      return [];
    });
  return {
    ...{ rule: message.rule, cause: message.cause, root: message.root },
    where: locations.map(locationWords),
    members: aggregate === undefined || first === undefined ? undefined : membersIn(first),
    writes: writes.slice(0, limits.writes),
    ...{ written: count('written') + count('removed'), unchanged: count('unchanged') },
    more: left.some(({ recheck }) => recheck !== true),
    deadLettered: deadLettered.map(({ code, reason }) => `${code}: ${reason}`),
  };
}

function doesText(set: readonly string[], remove: readonly string[]): string {
  const texts = [
    set.length > 0 && `sets ${set.join(', ')}`,
    remove.length > 0 && `removes ${remove.join(', ')}`,
  ];
  return texts.filter((text) => text !== false).join('; ');
}

async function archivedStates(
  { archives }: Registry,
  reader: ArchiveReader,
  key: ItemKey,
): Promise<readonly ArchivedView[]> {
  const kinds = archives.flatMap((rule) => rule.kinds).filter((kind) => kind.idsOf(key) !== undefined);
  const views: ArchivedView[] = [];
  for (const name of new Set(kinds.map((kind) => kind.name))) {
    const states = (await statesOf(reader, name, key)).toReversed();
    for (const [at, state] of states.entries()) {
      const { archivedAt, final } = state;
      const read =
        at < limits.contents
          ? await readState(reader, state).then(readable, unreadable)
          : { item: undefined, unread: `only the newest ${limits.contents} are read` };
      views.push({ ...{ id: stateId(state), kind: name, archivedAt, final }, ...read });
    }
  }
  return views;
}

function readable(item: Item): Pick<ArchivedView, 'item' | 'unread'> {
  return { item: attributesOf(item), unread: undefined };
}

/** A state in Glacier, or one that was erased meanwhile, is listed without its content. */
function unreadable(error: unknown): Pick<ArchivedView, 'item' | 'unread'> {
  if (!(error instanceof DenormError)) throw error;
  return { item: undefined, unread: error.message };
}

export function attributesOf(item: Item): Attributes {
  return Object.fromEntries(Object.entries(itemToJson(item)));
}
