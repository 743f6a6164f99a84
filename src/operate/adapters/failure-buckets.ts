import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { allPages } from '../../model/basics/all-pages.ts';
import { awsCall, awsCode, fromAws } from '../../worker/adapters/aws-errors.ts';
import type { S3ArchiveLocation } from '../../worker/adapters/s3/list-versions.ts';
import type { FailedBatches } from '../dead-letters/failed-batch.ts';
import type { StackOutputs } from './stack-outputs.ts';

export interface S3FailedBatchesOptions extends S3ArchiveLocation, Pick<FailedBatches, 'owner'> {
  /** Default: the prefix that Lambda puts before the ID of the event source mapping. */
  readonly prefix?: string;
}

export function stackFailedBatches(
  client: S3Client,
  { PropagateFailureBucketName, ArchiveFailureBucketName }: StackOutputs,
): readonly FailedBatches[] {
  return [
    s3FailedBatches({ client, bucket: PropagateFailureBucketName, owner: 'Propagate' }),
    ...(ArchiveFailureBucketName === undefined
      ? []
      : [s3FailedBatches({ client, bucket: ArchiveFailureBucketName, owner: 'Archive' })]),
  ];
}

/** Needs `s3:ListBucket` on the bucket, and `s3:GetObject` and `s3:DeleteObject` on its objects. */
export function s3FailedBatches({
  client,
  bucket,
  owner,
  prefix = 'aws/lambda/',
}: S3FailedBatchesOptions): FailedBatches {
  return {
    name: `s3://${bucket}`,
    owner,
    async *keys() {
      const what = `ListObjectsV2 (s3:ListBucket) of s3://${bucket}`;
      const pages = allPages({ of: 'archive', what }, async (ContinuationToken?: string) => {
        const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken });
        const { Contents = [], ...page } = await awsCall(what, () => client.send(command));
        return { keys: Contents.flatMap(({ Key }) => Key ?? []), next: page.NextContinuationToken };
      });
      for await (const { keys } of pages) yield* keys;
    },
    async read(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return await Body?.transformToString();
      } catch (error) {
        if (awsCode(error) === 'NoSuchKey') return undefined;
        throw fromAws(error, `GetObject (s3:GetObject) of s3://${bucket}/${key}`);
      }
    },
    async remove(key) {
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
      } catch (error) {
        // Unlike S3, some servers report an object that is gone.
        if (awsCode(error) !== 'NoSuchKey')
          throw fromAws(error, `DeleteObject (s3:DeleteObject) of s3://${bucket}/${key}`);
      }
    },
  };
}
