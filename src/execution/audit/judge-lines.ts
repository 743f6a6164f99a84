import { manifestPrefixOf } from '../../domain/archive-batch-object.ts';
import { keyText } from '../../domain/item.ts';
import type { ArchivedState } from '../archived-state.ts';
import { batchLines } from '../batch-manifests.ts';
import type { ArchiveReader } from '../ports.ts';
import type { Claim, Judgement, Standing } from './claim.ts';

/** What the manifests have shown so far of one claim. */
interface Seen {
  readonly claim: Claim;
  /** The line with the claimed state; undefined: none was seen. */
  line: ArchivedState | undefined;
  /** Of the newest line seen of its item. */
  newest: bigint;
}

/**
 * Looks whether claims hold in the layout `batch`: all manifests of their kinds are read once, for all of them together.
 * One judgement for each claim, in their order.
 */
export async function judgeLines(
  reader: ArchiveReader,
  claims: readonly Claim[],
): Promise<readonly Judgement[]> {
  const seen = claims.map((claim): Seen => ({ claim, line: undefined, newest: -1n }));
  const byItem = new Map<string, Seen[]>();
  for (const one of seen) {
    const item = itemText(one.claim.kind.name, keyText(one.claim.key));
    byItem.set(item, [...(byItem.get(item) ?? []), one]);
  }
  for (const kind of new Set(claims.map((claim) => claim.kind.name)))
    for await (const line of batchLines(reader, kind, {}))
      if (line.key !== undefined)
        for (const one of byItem.get(itemText(kind, keyText(line.key))) ?? []) note(one, line);
  const batches = new Batches(reader);
  const judgements: Judgement[] = [];
  for (const one of seen) judgements.push(await judgementOf(one, batches));
  return judgements;
}

function note(seen: Seen, line: ArchivedState): void {
  const { claim } = seen;
  const { sequence = 0n } = line;
  const isNewer = sequence >= seen.newest;
  if (isNewer) seen.newest = sequence;
  if (claim.that === 'stands') {
    // Only the newest line counts; the same record's may stand in two batches.
    if (line.digest === claim.digest && isNewer) seen.line = line;
    else if (sequence > (seen.line?.sequence ?? -1n)) seen.line = undefined;
  } else if (line.digest === claim.digest && line.sequence === claim.sequence) seen.line = line;
}

async function judgementOf({ claim, line, newest }: Seen, batches: Batches): Promise<Judgement> {
  const objectKey = manifestPrefixOf(claim.kind.name);
  if (line !== undefined) {
    const at: Standing = { objectKey: line.objectKey, versionId: undefined, line: line.line };
    return (await batches.stands(line.objectKey))
      ? { is: 'right', at }
      : { is: 'damaged', objectKey: line.objectKey };
  }
  if (claim.that === 'ended') return { is: 'lost', objectKey };
  return { is: newest < 0n ? 'missing' : 'outdated', objectKey };
}

/** Whether batches stand whose manifests do: each is asked once. */
class Batches {
  private readonly reader: ArchiveReader;
  private readonly asked = new Map<string, Promise<boolean>>();

  constructor(reader: ArchiveReader) {
    this.reader = reader;
  }

  stands(objectKey: string): Promise<boolean> {
    const asked =
      this.asked.get(objectKey) ??
      this.reader.details(objectKey).then((details) => details?.digest === nameIn(objectKey));
    this.asked.set(objectKey, asked);
    return asked;
  }
}

/** A batch has the hash of its lines for a name, and for its digest. */
function nameIn(objectKey: string): string | undefined {
  return /\/([0-9a-f]+)\.ndjson\.gz$/.exec(objectKey)?.[1];
}

function itemText(kind: string, key: string): string {
  return `${kind} ${key}`;
}
