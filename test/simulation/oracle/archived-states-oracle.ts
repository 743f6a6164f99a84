import type { Findings } from '../../../src/develop/testing/simulation/oracle/findings.ts';
import type { ModelArchive } from '../../../src/develop/testing/table-model/model-archive.ts';
import { modelArchiveReader } from '../../../src/develop/testing/table-model/model-archive-reader.ts';
import type { Committed, ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import { sameItem } from '../../../src/develop/testing/table-model/same-value.ts';
import { DenormError } from '../../../src/model/errors.ts';
import { type Item, keyText } from '../../../src/model/item.ts';
import type { ArchivedState } from '../../../src/operate/archive/archived-state.ts';
import { listItems, readState } from '../../../src/operate/archive/read-states.ts';
import { isLeftOut } from './archive-oracle.ts';

interface Shown {
  readonly state: ArchivedState;
  readonly item: Item;
}

/**
 * Checks the archive as a person sees it who lists and restores: the lives of an item that expired are there in their
 * order, the newest state is what it was last, and what stands in batches is all of that (invariant 5).
 * @param cutShort keys of objects that an invocation had put or erased when it was cut off
 */
export async function checkStates(
  archive: ModelArchive,
  table: ModelTable,
  cutShort: ReadonlySet<string>,
  findings: Findings,
): Promise<void> {
  const reader = modelArchiveReader(archive);
  const byItem = Map.groupBy(table.history, ({ key }) => keyText(key));
  const listed = new Set<string>();
  for await (const { key, states } of listItems(reader, table.names)) {
    if (key === undefined) continue;
    const where = keyText(key);
    listed.add(where);
    const history = byItem.get(where) ?? [];
    try {
      const shown = await Promise.all(
        states.map(async (state) => ({ state, item: await readState(reader, state) })),
      );
      const cut = states.some(({ objectKey }) => cutShort.has(objectKey.replace(/\.\d+$/, '')));
      if (key.pk.startsWith('RECEIPT#')) checkLines(shown, history, where, findings);
      // What was cut off in the middle of an erasure has left what it had not come to.
      if (!cut || !key.pk.startsWith('SECRET#')) checkOrder(shown, history, where, findings);
    } catch (error) {
      if (!(error instanceof DenormError)) throw error;
      findings.violated(5, 'what the archive lists cannot be read', where);
    }
  }
  for (const [where, history] of byItem) {
    if (listed.has(where) || history[0]?.key.pk.startsWith('RECEIPT#') !== true) continue;
    if (endsOf(history).length > 0 || history.at(-1)?.after?.ExpiresAt !== undefined)
      findings.violated(5, 'what was to expire stands in no batch', where);
  }
}

/** Every life that expired is there, and nothing that the item never was. */
function checkLines(
  shown: readonly Shown[],
  history: readonly Committed[],
  where: string,
  findings: Findings,
): void {
  for (const { state, item } of shown) {
    const made = history.find(({ sequence }) => sequence === state.sequence);
    const image = state.final ? made?.before : made?.after;
    if (!sameItem(image, item) || (state.final && made?.by !== 'service'))
      findings.violated(5, 'a line is not what its record says', where);
  }
  for (const { sequence } of endsOf(history))
    if (!shown.some(({ state }) => state.final && state.sequence === sequence))
      findings.violated(5, 'a last state stands in no batch', where);
}

/** The last states stand in the order of the lives, and what the item was last is the newest. */
function checkOrder(
  shown: readonly Shown[],
  history: readonly Committed[],
  where: string,
  findings: Findings,
): void {
  const erased = history.findLastIndex(({ by, after }) => after === undefined && by === 'application');
  const since = where.startsWith('["SECRET#') ? history.slice(erased + 1) : history;
  let from = 0;
  for (const { before } of endsOf(since)) {
    if (isLeftOut(before)) continue;
    const index = shown.findIndex(({ item }, at) => at >= from && sameItem(item, before));
    if (index < 0) findings.violated(5, 'the lives of an item do not stand in their order', where);
    else from = index;
  }
  const last = history.at(-1);
  const wanted = last?.after === undefined ? last?.before : last.after;
  const counts = last?.after === undefined ? last?.by === 'service' : last.after.ExpiresAt !== undefined;
  if (counts && !isLeftOut(wanted) && !sameItem(shown.at(-1)?.item, wanted))
    findings.violated(5, 'the newest state is not what the item was last', where);
}

function endsOf(history: readonly Committed[]): Committed[] {
  return history.filter(({ by, after }) => by === 'service' && after === undefined);
}
