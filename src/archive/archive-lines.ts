/**
 * The layout `batch`: the states of many items of one kind as lines of one compressed object, and beside it the manifest,
 * by which a state is found without reading the data, which may be in Glacier:
 *
 *   head of the manifest ──there──> stood
 *          └─not there──> data put, where nothing stands ──> manifest put, where nothing stands ──> stored
 *
 * Here a state is what the record's image says, and not what the table says by then. That is no breach of the rule that
 * the table is the truth: nothing is written over anything. Every line stands beside its record's sequence number, a
 * reader takes the highest, and an image is what the item was when that record was made; an old one can hide no newer.
 * Reading each item again would only cost: its own later record is on its way.
 *
 * An object's name is the hash of its lines: the same batch again finds its manifest, and puts nothing. A batch that comes
 * again in other company has another name, and some states stand twice; readers fold them.
 */
import { gzipSync } from 'node:zlib';
import { earliest } from '../batch/group.ts';
import type { ArchiveRule } from '../model/archive-rule.ts';
import { type Item, type ItemKey, keyText } from '../model/item.ts';
import type { AnyKind } from '../model/kind.ts';
import type { ArchiveReport } from '../model/report.ts';
import {
  type BatchLine,
  batchNameOf,
  batchObjectKeyOf,
  manifestKeyOf,
  manifestText,
} from './batch-object.ts';
import { bodyOf, digestOf } from './object.ts';
import type { ArchivePort } from './ports.ts';
import { putOnce } from './put-once.ts';

/** A state to put as a line. */
export interface StateOfItem {
  readonly key: ItemKey;
  readonly item: Item;
  /** Of the record whose image it is; 0 where none asked for it. */
  readonly sequence: bigint;
  /** Whether it is the last state of an item that is gone. */
  readonly final: boolean;
  /** When that record was made, in epoch milliseconds: the earliest decides on the day under which all stand. */
  readonly at: number | undefined;
}

/**
 * Sees to it that these states stand in the archive, as lines of one object: data first, then its manifest. Only then may
 * their records be acknowledged. They are in memory twice, once compressed: a few megabytes are a good measure.
 * @returns what became of each state, in the order of the lines; a state that is given twice is one
 */
export async function archiveLines(
  { archive }: { readonly archive: ArchivePort },
  rule: Pick<ArchiveRule, 'storageClass'>,
  kind: Pick<AnyKind, 'name'>,
  states: readonly StateOfItem[],
): Promise<readonly ArchiveReport[]> {
  if (states.length === 0) return [];
  const given = inLineOrder(states);
  const lines = given.map(({ line }) => line);
  const batch = batchNameOf(kind.name, lines, earliest(states));
  const [objectKey, manifestKey] = [batchObjectKeyOf(batch), manifestKeyOf(batch)];
  const manifestHead = await archive.head(manifestKey);
  const stood = manifestHead?.digest === batch.name;
  if (!stood) {
    // At once: there is nothing else that an invocation could do with its processor meanwhile.
    const body = gzipSync(given.map(({ state }) => bodyOf(state.item, noNonce)).join(''));
    // An object that is there already comes from a killed attempt at the very same lines.
    const { storageClass } = rule;
    await putOnce(archive, objectKey, { body, digest: batch.name, storageClass }, undefined);
    const manifest = { body: manifestText(lines), digest: batch.name, storageClass: 'STANDARD' } as const;
    await putOnce(archive, manifestKey, manifest, manifestHead?.etag);
  }
  return lines.map(({ key, final }) => ({
    kind: kind.name,
    key,
    objectKey,
    outcome: stood ? 'unchanged' : final ? 'final' : 'stored',
  }));
}

/** A line needs no nonce: nothing compares the hash of one. */
const noNonce = new Uint8Array();

interface Given {
  readonly state: StateOfItem;
  readonly line: BatchLine;
}

/** Lines stand in the order of their keys, whatever the order of the records: the same lines have the same name. */
function inLineOrder(states: readonly StateOfItem[]): readonly Given[] {
  const byText = new Map(
    states.map((state) => {
      const line = lineOf(state);
      return [lineText(line), { state, line }];
    }),
  );
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, given]) => given);
}

function lineOf({ key, item, sequence, final }: StateOfItem): BatchLine {
  return { key, digest: digestOf(item), sequence, final };
}

/** As many digits for every sequence number, so that texts order as numbers. Source: AWS, "StreamRecord", 21 to 40 digits. */
function lineText({ key, sequence, final, digest }: BatchLine): string {
  return `${keyText(key)} ${String(sequence).padStart(40, '0')} ${final} ${digest}`;
}
