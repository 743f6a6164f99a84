import * as z from 'zod/mini';
import { jsonOrUndefined } from '../../../model/basics/parse-json.ts';
import type { ItemKey } from '../../../model/items/item.ts';
import type { ArchiveDetails } from '../../archive/ports.ts';

/** Next to the other names and values in S3's 2 KB of metadata. Source: AWS, "Object metadata". */
const maxKeyText = 1_800;

/** Plain ASCII, the only characters that S3 guarantees to keep. */
export function metadataOf(
  digest: string,
  sequence: bigint,
  of: ItemKey | undefined,
): Record<string, string> {
  const encoded = of && Buffer.from(JSON.stringify([of.pk, of.sk])).toString('base64url');
  const key = encoded !== undefined && encoded.length <= maxKeyText ? encoded : undefined;
  return { digest, sequence: String(sequence), ...(key !== undefined && { key }) };
}

/** Ignores invalid values, because other software may have put the object. */
export function readMetadata(
  metadata: Readonly<Record<string, string>> = {},
): Pick<ArchiveDetails, 'digest' | 'sequence' | 'of'> {
  const { digest, sequence = '', key } = metadata;
  return {
    digest,
    sequence: /^\d+$/.test(sequence) ? BigInt(sequence) : 0n,
    of: key === undefined ? undefined : readKey(key),
  };
}

const keySchema = z.pipe(
  z.tuple([z.string(), z.string()]),
  z.transform(([pk, sk]): ItemKey => ({ pk, sk })),
);

function readKey(text: string): ItemKey | undefined {
  return keySchema.safeParse(jsonOrUndefined(Buffer.from(text, 'base64url').toString())).data;
}
