import { ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { TransientError } from '../../../model/errors.ts';
import { fromAws } from '../aws-errors.ts';

/** Where a listing continues: after this version of this key. */
export interface VersionMarker {
  readonly key: string;
  readonly version: string | undefined;
}

/** A version or a delete marker, as S3 lists it. */
export interface ListedVersion {
  readonly key: string;
  readonly version: string;
  readonly latest: boolean;
  readonly bytes: number;
  readonly archivedAt: number;
  readonly storageClass: string;
}

export interface VersionsPage {
  readonly versions: readonly ListedVersion[];
  readonly deleteMarkers: readonly ListedVersion[];
  readonly next: VersionMarker | undefined;
}

/**
 * A page, at most 1,000, of the versions and delete markers of all keys with this prefix, the newest of each
 * key first. Needs `s3:ListBucketVersions`.
 */
export async function versionsPage(
  client: S3Client,
  bucket: string,
  prefix: string,
  { from, limit }: { readonly from?: VersionMarker | undefined; readonly limit?: number | undefined } = {},
): Promise<VersionsPage> {
  const what = `ListObjectVersions (s3:ListBucketVersions) of s3://${bucket}/${prefix}`;
  try {
    const page = await client.send(
      new ListObjectVersionsCommand({
        Bucket: bucket,
        Prefix: prefix,
        ...(limit !== undefined && { MaxKeys: limit }),
        ...(from && { KeyMarker: from.key }),
        ...(from?.version !== undefined && { VersionIdMarker: from.version }),
      }),
    );
    const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
    return {
      versions: Versions.flatMap(listed),
      deleteMarkers: DeleteMarkers.flatMap(listed),
      next: IsTruncated === true ? markerOf(what, NextKeyMarker, NextVersionIdMarker) : undefined,
    };
  } catch (error) {
    throw fromAws(error, what);
  }
}

/** @throws TransientError `archive.cut-off` if a page other than the last lacks the start of the next one */
function markerOf(what: string, key: string | undefined, version: string | undefined): VersionMarker {
  if (key !== undefined) return { key, version };
  throw new TransientError('archive.cut-off', `${what} is truncated and names no next page: try again later`);
}

/** All pages of {@link versionsPage}, in order. */
export async function* versionsPages(
  client: S3Client,
  bucket: string,
  prefix: string,
): AsyncGenerator<VersionsPage> {
  let from: VersionMarker | undefined;
  do {
    const page = await versionsPage(client, bucket, prefix, { from });
    yield page;
    from = page.next;
  } while (from !== undefined);
}

interface AsListed {
  readonly Key?: string | undefined;
  readonly VersionId?: string | undefined;
  readonly IsLatest?: boolean | undefined;
  readonly LastModified?: Date | undefined;
  readonly Size?: number | undefined;
  readonly StorageClass?: string | undefined;
}

function listed({ Key, VersionId, IsLatest, LastModified, Size, StorageClass }: AsListed): ListedVersion[] {
  if (Key === undefined) return [];
  return [
    {
      key: Key,
      // The ID of objects put before the bucket was versioned. Source: AWS, "How S3 Versioning works".
      version: VersionId ?? 'null',
      latest: IsLatest === true,
      bytes: Size ?? 0,
      archivedAt: LastModified?.getTime() ?? 0,
      storageClass: StorageClass ?? 'STANDARD',
    },
  ];
}
