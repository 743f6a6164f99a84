import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Item, keyOf } from '../../../src/model/item.ts';
import { table } from '../../../src/table.ts';
import { bodyOf, digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../suites/loopback-server.ts';

export interface SlowGlacier {
  readonly endpoint: string;
  /** The requests for a retrieval, as S3 receives them. */
  readonly retrievals: readonly string[];
  /** Makes a requested object readable. */
  thaw(): void;
}

/** The part of S3 that a slow read of one order from Glacier needs. */
export async function slowGlacier(item: Item, storageClass: string): Promise<SlowGlacier> {
  const body = bodyOf(item, new Uint8Array(8));
  const key = objectKeyOf('Order', keyOf(table, item) ?? { pk: '', sk: '' });
  const retrievals: string[] = [];
  let isFrozen = true;

  function answer({ method, path, body: asked }: ServerRequest): ServerAnswer {
    const url = new URL(path, 'http://stub');
    if (url.searchParams.has('versions')) return listing(url.searchParams.get('prefix') ?? '');
    if (method === 'HEAD')
      return url.pathname.endsWith(key.split('/').map(encodeURIComponent).join('/'))
        ? { status: 200, headers: headers() }
        : { status: 404 };
    if (method === 'POST') {
      if (retrievals.length > 0) return failure(409, 'RestoreAlreadyInProgress');
      retrievals.push(asked.toString());
      return { status: 202 };
    }
    if (isFrozen) return failure(403, 'InvalidObjectState');
    return { status: 200, headers: headers(), body };
  }

  function headers(): Record<string, string> {
    const under = `ongoing-request="${isFrozen}"`;
    return {
      'x-amz-storage-class': storageClass,
      'x-amz-meta-digest': digestOf(item),
      'x-amz-meta-sequence': '1',
      'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64'),
      etag: '"e"',
      ...(retrievals.length > 0 && { 'x-amz-restore': under }),
    };
  }

  function listing(prefix: string): ServerAnswer {
    const version =
      `<Version><Key>${key}</Key><VersionId>v1</VersionId><IsLatest>true</IsLatest>` +
      `<LastModified>2026-11-21T08:00:00.000Z</LastModified><Size>${body.length}</Size>` +
      `<StorageClass>${storageClass}</StorageClass></Version>`;
    return {
      status: 200,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult><IsTruncated>false</IsTruncated>${key.startsWith(prefix) ? version : ''}</ListVersionsResult>`,
    };
  }

  const server = await loopbackServer(answer);
  onTestFinished(() => server.close());
  return {
    endpoint: server.endpoint,
    retrievals,
    thaw() {
      isFrozen = false;
    },
  };
}

function failure(status: number, code: string): ServerAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`,
  };
}
