import { ListObjectVersionsCommand, type ObjectVersion, type S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { allPages } from '../../../model/basics/all-pages.ts';
import { TransientError } from '../../../model/basics/errors.ts';
import type { ArchivedPage, ArchivedVersion } from '../../archive/ports.ts';
import { awsCall } from '../aws-errors.ts';

export interface S3ArchiveLocation {
  readonly client: S3Client;
  readonly bucket: string;
}

export interface VersionsPage extends ArchivedPage {
  readonly deleteMarkers: readonly ArchivedVersion[];
}

const cursorSchema = z.object({ KeyMarker: z.string(), VersionIdMarker: z.optional(z.string()) });

/**
 * The newest version of each key first. Needs `s3:ListBucketVersions`.
 * @throws TransientError `archive.cut-off`
 */
export async function versionsPage(
  { client, bucket }: S3ArchiveLocation,
  prefix: string,
  { from, limit }: { readonly from?: string | undefined; readonly limit?: number | undefined } = {},
): Promise<VersionsPage> {
  const what = `ListObjectVersions (s3:ListBucketVersions) of s3://${bucket}/${prefix}`;
  const command = new ListObjectVersionsCommand({
    Bucket: bucket,
    Prefix: prefix,
    ...(limit !== undefined && { MaxKeys: limit }),
    ...(from !== undefined && cursorSchema.parse(JSON.parse(from))),
  });
  const page = await awsCall(what, () => client.send(command));
  const { Versions = [], DeleteMarkers = [], IsTruncated, NextKeyMarker, NextVersionIdMarker } = page;
  if (IsTruncated === true && NextKeyMarker === undefined)
    throw new TransientError(
      'archive.cut-off',
      `${what} is truncated and names no next page: try again later`,
    );
  const next = { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker };
  return {
    versions: Versions.flatMap(listed),
    deleteMarkers: DeleteMarkers.flatMap(listed),
    next: IsTruncated === true ? JSON.stringify(next) : undefined,
  };
}

export function versionsPages(location: S3ArchiveLocation, prefix: string): AsyncGenerator<VersionsPage> {
  const what = `s3://${location.bucket}/${prefix}`;
  return allPages({ of: 'archive', what }, (from?: string) => versionsPage(location, prefix, { from }));
}

function listed({
  Key,
  VersionId,
  IsLatest,
  LastModified,
  Size,
  StorageClass,
}: ObjectVersion): ArchivedVersion[] {
  if (Key === undefined) return [];
  return [
    {
      objectKey: Key,
      // The ID of objects put before the bucket was versioned. Source: AWS, "How S3 Versioning works".
      versionId: VersionId ?? 'null',
      latest: IsLatest === true,
      bytes: Size ?? 0,
      archivedAt: LastModified?.getTime() ?? 0,
      storageClass: StorageClass ?? 'STANDARD',
    },
  ];
}
