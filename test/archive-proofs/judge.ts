import { sameItem } from '../../src/develop/testing/table-model/same-value.ts';
import { type Item, keyText } from '../../src/model/item.ts';
import { objectStates } from '../../src/operate/archive/object-states.ts';
import {
  type ArchivedItem,
  described,
  keepingBatches,
  listItems,
  readState,
} from '../../src/operate/archive/read-states.ts';
import type { ArchivedState } from '../../src/worker/archive/archived-state.ts';
import { batchLines } from '../../src/worker/archive/batch-object.ts';
import type { ArchiveReader } from '../../src/worker/archive/ports.ts';
import { table } from '../fixtures/model/table.ts';
import { ways } from './moorings.ts';
import type { End, WhatWas } from './what-was.ts';

/** An archived item, and which of its states each life ended with. */
export interface Judged {
  readonly item: ArchivedItem;
  readonly was: WhatWas;
  readonly ends: readonly { readonly end: End; readonly state: ArchivedState }[];
}

/** What is not as it has to be, in words and keys; and what is. */
export interface Judgement {
  readonly items: readonly Judged[];
  readonly lost: readonly string[];
  readonly wrong: readonly string[];
  /** States of a life that stand more than once where once is enough. */
  readonly doubled: readonly string[];
  /** Lines that stand in two batches, because their records came again in other company: readers show one. */
  readonly again: number;
  readonly states: number;
}

/**
 * Compares what the archive lists with what was: each last state is there, in the order of the lives; nothing is there
 * that never was; the newest is what the item was last.
 */
export async function judge(archive: ArchiveReader, were: ReadonlyMap<string, WhatWas>): Promise<Judgement> {
  const reader = remembering(archive);
  const items: Judged[] = [];
  const [lost, wrong, doubled]: string[][] = [[], [], []];
  const left = new Map(were);
  const batches = keepingBatches(reader);
  const kinds = ways.map(({ kind }) => kind.name);
  for await (const item of listItems(reader, table, { kinds })) {
    const text = item.key === undefined ? 'an item without a key' : keyText(item.key);
    const was = left.get(text);
    left.delete(text);
    if (was === undefined) {
      wrong?.push(`${text}: it was never to be archived, or is listed twice`);
      continue;
    }
    const states = await Promise.all(
      item.states.map(async (state) => ({ state, item: await readState(batches, state) })),
    );
    for (const one of states)
      if (!was.states.some((state) => sameItem(state, one.item))) wrong?.push(`${text}: it never was that`);
    const ends = inTurn(was.ends, states);
    if (ends.length < was.ends.length)
      lost?.push(`${text}: ${ends.length} of ${was.ends.length} lives, in their order`);
    const last = was.present ?? was.ends.at(-1)?.last;
    const newest = states.at(-1)?.item;
    if (endsLast(was) && !sameItem(newest, last)) wrong?.push(`${text}: the newest is not what it was last`);
    if (hasTwice(item.states)) doubled?.push(`${text}: it is listed twice`);
    items.push({ item, was, ends });
  }
  for (const [text, { ends, present }] of left)
    if (ends.length > 0 || present !== undefined) lost?.push(`${text}: nothing of it`);
  const again = await judgeStored(reader, were, doubled ?? []);
  return {
    ...{ items, lost: lost ?? [], wrong: wrong ?? [], doubled: doubled ?? [], again },
    states: items.reduce((sum, { item }) => sum + item.states.length, 0),
  };
}

/** The states that the lives ended with, as far as they are there in the order of the lives. */
function inTurn(
  ends: readonly End[],
  states: readonly { readonly state: ArchivedState; readonly item: Item }[],
): { end: End; state: ArchivedState }[] {
  let from = 0;
  return ends.flatMap((end) => {
    // Where two lives ended alike, one version may stand for both: its own last state is there if it was needed.
    const index = states.findIndex((one, at) => at >= from && sameItem(one.item, end.last));
    const found = states[index];
    if (found === undefined) return [];
    from = index;
    return [{ end, state: found.state }];
  });
}

/** Whether the item's last moment is one that the archive must show as the newest. */
function endsLast({ present, ends, deletedLast }: WhatWas): boolean {
  return present !== undefined || (ends.length > 0 && !deletedLast);
}

function hasTwice(states: readonly ArchivedState[]): boolean {
  const seen = states.map(({ final, sequence, line, objectKey, versionId }) =>
    line === undefined ? `${objectKey} ${versionId}` : `${sequence} ${final}`,
  );
  return new Set(seen).size < seen.length;
}

/**
 * No state stands more often in objects of its own than the item came to it. Under a rule that erases, a last state has
 * an object of its own in any case.
 * @returns how many lines stand in two batches
 */
async function judgeStored(
  reader: ArchiveReader,
  were: ReadonlyMap<string, WhatWas>,
  doubled: string[],
): Promise<number> {
  const lines = new Set<string>();
  let again = 0;
  for (const { kind, layout } of ways) {
    const byItem = new Map<string, ArchivedState[]>();
    // Not the items of a listing, which has each state once.
    if (layout === 'batch')
      for await (const { key, sequence, final } of batchLines(reader, kind.name, {})) {
        const line = `${keyText(key)} ${sequence} ${final}`;
        if (lines.has(line)) again += 1;
        lines.add(line);
      }
    for await (const state of objectStates(reader, table, { kinds: [kind.name] })) {
      const text = state.key === undefined ? state.objectKey : keyText(state.key);
      if (layout === 'object') byItem.set(text, [...(byItem.get(text) ?? []), state]);
    }
    for (const [text, states] of byItem) {
      const was = were.get(text);
      if (was !== undefined && (await isDoubled(reader, was, states))) doubled.push(`${text}: stands twice`);
    }
  }
  return again;
}

/**
 * Whether a state stands more often than the item came to it. A version that an older record, coming again, has put after
 * a younger state, because the item had come back to what it was, is left aside: its own record puts it again.
 */
async function isDoubled(
  reader: ArchiveReader,
  was: WhatWas,
  states: readonly ArchivedState[],
): Promise<boolean> {
  const entries = await Promise.all(
    states.map(async ({ final, archivedAt, ...state }) => ({
      ...{ final, archivedAt },
      sequence: (await described(reader, { ...state, final, archivedAt }))?.sequence ?? 0n,
      item: await readState(reader, { ...state, final, archivedAt }),
    })),
  );
  const counted = entries.filter(({ final, archivedAt, sequence }) =>
    final
      ? was.way.onDelete !== 'erase'
      : !entries.some((other) => other.archivedAt <= archivedAt && other.sequence > sequence),
  );
  return counted.some(
    ({ item }) =>
      counted.filter((other) => sameItem(other.item, item)).length >
      was.states.filter((state) => sameItem(state, item)).length,
  );
}

/** A reader that asks for each version of an object once. */
function remembering(reader: ArchiveReader): ArchiveReader {
  const details = remembered(reader.details);
  const read = remembered(reader.read);
  return { ...reader, details, read };
}

function remembered<Answer>(
  ask: (objectKey: string, versionId?: string) => Promise<Answer>,
): (objectKey: string, versionId?: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (objectKey, versionId) => {
    const version = `${objectKey} ${versionId}`;
    const answer = answers.get(version) ?? ask(objectKey, versionId);
    answers.set(version, answer);
    return answer;
  };
}
