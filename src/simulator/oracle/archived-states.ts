import { DenormError } from '../../model/basics/errors.ts';
import { type Item, keyText } from '../../model/items/item.ts';
import { archivedAs, type Registry } from '../../model/rules/registry.ts';
import type { ArchivedState } from '../../operate/archive/archived-state.ts';
import { listItems, readState } from '../../operate/archive/read-states.ts';
import { modelArchiveReader } from '../../testing/table-model/model-archive.ts';
import type { Committed } from '../../testing/table-model/model-table.ts';
import { sameItem } from '../../testing/table-model/same-value.ts';
import { objectKeyOf } from '../../worker/archive/object.ts';
import type { World } from '../world/world.ts';
import { isLeftOut, mayBeSwept } from './sweeps.ts';

interface Shown {
  readonly state: ArchivedState;
  readonly item: Item;
}

/** Checks the archive as one sees it who lists and restores (promise 5): each incarnation as it last was, in order, and nothing else. */
export async function checkArchive(world: World): Promise<void> {
  const { table, archive, findings } = world;
  const reader = modelArchiveReader(archive);
  const shown = new Map<string, Shown[]>();
  for await (const { key, states } of listItems(reader, table.names)) {
    if (key === undefined) continue;
    const where = keyText(key);
    try {
      const read = states.map(async (state) => ({ state, item: await readState(reader, state) }));
      shown.set(where, [...(shown.get(where) ?? []), ...(await Promise.all(read))]);
    } catch (error) {
      if (!(error instanceof DenormError)) throw error;
      findings.violated(5, 'what the archive lists cannot be read', where);
    }
  }
  for (const [where, history] of Map.groupBy(table.history, ({ key }) => keyText(key))) {
    const states = shown.get(where) ?? [];
    for (const one of states) checkState(world, one, history, where);
    for (const { item } of states) findings.wrote(archivedAs(world.registry, item)?.rule.name ?? '');
    checkLives(world, states, history, where);
  }
}

/** A state is one that the item had, of a kind that is archived, and it was going to expire or had ended. */
function checkState(
  world: World,
  { state, item }: Shown,
  history: readonly Committed[],
  where: string,
): void {
  const { registry, findings } = world;
  const violated = (what: string) => findings.violated(5, what, where);
  const found = archivedAs(registry, item);
  if (found?.kind.name !== state.kind) violated('the archive holds what is never archived');
  if (isLeftOut(registry, item)) violated('the archive holds what its rule leaves out');
  const record = recordOf(world, state, history);
  if (state.final) {
    if (record === undefined || !isEnd(registry, record))
      violated('what did not expire is taken for expired');
    else if (!sameItem(record.before, item)) violated('a last state is not what expired');
    return;
  }
  if (state.line !== undefined && !sameItem(record?.after, item))
    violated('a line is not what its record says');
  const isGoing = item[registry.table.ttl] !== undefined || mayBeSwept(world, item);
  if (!isGoing || !history.some(({ after }) => sameItem(after, item)))
    violated('the archive holds what never was, or was not to expire');
}

function checkLives(
  world: World,
  shown: readonly Shown[],
  history: readonly Committed[],
  where: string,
): void {
  const { registry, findings, invocations } = world;
  const deletion = history.findLastIndex((change) => isErasure(registry, change));
  const since = history.slice(deletion + 1);
  const last = history.at(-1);
  const image = last?.after ?? last?.before;
  const kind = image && archivedAs(registry, image)?.kind.name;
  const isCrashed =
    last !== undefined && kind !== undefined && invocations.crashed.has(objectKeyOf(kind, last.key));
  const violated = (what: string): void => {
    // An invocation that crashes during an erasure leaves the remaining versions.
    if (deletion >= 0 && isCrashed) findings.excepted('erasures crossed by an invocation that crashed');
    else findings.violated(5, what, where);
  };
  const upToDeletion = history.slice(0, deletion + 1);
  const isErased = ({ state, item }: Shown) =>
    !since.some(({ after }) => sameItem(after, item)) ||
    (state.final && recordOf(world, state, upToDeletion) !== undefined);
  const erased = deletion < 0 ? [] : shown.filter(isErased);
  if (erased.length > 0 && erased.length <= putsAfter(world, history[deletion], kind))
    findings.excepted('erasures crossed by a put after its time-out');
  else if (erased.length > 0) violated('what a user had erased is in the archive');
  let from = 0;
  for (const { before } of since.filter((change) => isEnd(registry, change))) {
    const index = shown.findIndex(({ item }, at) => at >= from && sameItem(item, before));
    if (index < 0) violated('an incarnation that ended is not in the archive as it last was, in its order');
    else from = index;
  }
  if (last === undefined || image === undefined || kind === undefined || isLeftOut(registry, image)) return;
  const isWanted = last.after === undefined ? isEnd(registry, last) : image[registry.table.ttl] !== undefined;
  if (isWanted && !sameItem(shown.at(-1)?.item, image))
    violated('the newest state is not what the item was last');
}

/** Puts of an item's states that took effect after its deletion, and after their time-out: each leaves one state. */
function putsAfter({ late }: World, deletion: Committed | undefined, kind: string | undefined): number {
  if (deletion === undefined || kind === undefined) return 0;
  const put = ` put ${objectKeyOf(kind, deletion.key)}`;
  return late.done.filter(({ text, at }) => at >= deletion.at && text.includes(put)).length;
}

function recordOf(
  { stream }: World,
  { sequence = 0n }: ArchivedState,
  history: readonly Committed[],
): Committed | undefined {
  const change = stream.changeOf(sequence);
  return history.find((one) => one === change);
}

function isEnd(registry: Registry, { before, after, by }: Committed): boolean {
  const rule = before && after === undefined ? archivedAs(registry, before)?.rule : undefined;
  if (rule === undefined || before === undefined || isLeftOut(registry, before)) return false;
  return by === 'service' || rule.onDelete === 'archive';
}

function isErasure(registry: Registry, { before, after, by }: Committed): boolean {
  if (before === undefined || after !== undefined || by === 'service') return false;
  return archivedAs(registry, before)?.rule.onDelete === 'erase';
}
