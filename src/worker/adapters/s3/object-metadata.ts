import type { ItemKey } from '../../../model/item.ts';
import { readStamps, type Stamp, stampsText } from '../../archive/stamp.ts';

/**
 * Maximum length of a key in S3's 2 KB of metadata, next to the other names and values. Source: AWS, "Object
 * metadata".
 */
const maxKeyText = 1_800;

/** Maximum length of the list of replaced states, less if the metadata contains a key. */
const maxStamps = 1_200;

/**
 * An object's metadata: the digest of its item, the record for which it was put, the states that it replaced,
 * and the item's key.
 */
export interface ObjectMetadata {
  readonly digest: string | undefined;
  readonly sequence: bigint;
  readonly of: ItemKey | undefined;
  readonly previousStates: readonly Stamp[] | undefined;
}

/** Metadata for a put. Values are plain ASCII, the only characters that S3 guarantees to keep. */
export function metadataOf(
  digest: string,
  sequence: bigint,
  of: ItemKey | undefined,
  stamps: readonly Stamp[] = [],
): Record<string, string> {
  const encoded = of && Buffer.from(JSON.stringify([of.pk, of.sk])).toString('base64url');
  const key = encoded !== undefined && encoded.length <= maxKeyText ? encoded : undefined;
  const previousStates = stampsText(stamps, Math.min(maxStamps, maxKeyText - (key?.length ?? 0)));
  return {
    digest,
    sequence: String(sequence),
    ...(key !== undefined && { key }),
    ...(previousStates !== '' && { previous: previousStates }),
  };
}

/** Reads metadata from S3. Ignores invalid values, because other software may have put the object. */
export function readMetadata(metadata: Readonly<Record<string, string>> = {}): ObjectMetadata {
  const { digest, sequence = '', key, previous } = metadata;
  return {
    digest,
    sequence: /^\d+$/.test(sequence) ? BigInt(sequence) : 0n,
    of: key === undefined ? undefined : readKey(key),
    previousStates: previous === undefined ? undefined : readStamps(previous),
  };
}

function readKey(text: string): ItemKey | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(parsed)) return undefined;
    const [pk, sk]: unknown[] = parsed;
    return typeof pk === 'string' && typeof sk === 'string' ? { pk, sk } : undefined;
  } catch {
    return undefined;
  }
}
