import { onTestFinished } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { type Item, keyOf } from '../../../src/model/items/item.ts';
import type { StorageClass } from '../../../src/model/rules/archive-rule.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { table } from '../../../src/table.ts';
import { s3Archive } from '../../../src/worker/adapters/s3/s3-archive.ts';
import { bodyOf, digestOf, objectKeyOf } from '../../../src/worker/archive/object.ts';
import { loopbackServer } from '../../suites/loopback-server.ts';
import { s3Answers } from '../../worker/adapters/s3/stub-s3.ts';

export interface SlowGlacier {
  readonly endpoint: string;
  /** The requests for a retrieval, as S3 receives them. */
  readonly retrievals: readonly string[];
  /** Makes a requested object readable. */
  thaw(): void;
}

/** The stub of S3 with an order in the bucket `b`, which it does not lend at once. */
export async function slowGlacier(item: Item, storageClass: StorageClass): Promise<SlowGlacier> {
  const s3 = s3Answers();
  const retrievals: string[] = [];
  let isFrozen = true;
  const server = await loopbackServer((request) => {
    if (request.method === 'POST') retrievals.push(request.body.toString());
    const answer = s3.answer(request);
    if (!isFrozen || answer.headers?.['x-amz-restore'] === undefined) return answer;
    if (request.method === 'HEAD')
      return { ...answer, headers: { ...answer.headers, 'x-amz-restore': 'ongoing-request="true"' } };
    return { status: 403, body: '<Error><Code>InvalidObjectState</Code></Error>' };
  });
  const { s3: client, close } = connect(loopbackClientSettings(server.endpoint));
  const key = objectKeyOf('Order', keyOf(table, item) ?? { pk: '', sk: '' });
  const object = { body: bodyOf(item, new Uint8Array(8)), digest: digestOf(item) };
  await s3Archive({ client, bucket: 'b', storageClass }).put(key, object, undefined);
  onTestFinished(() => {
    close();
    return server.close();
  });
  return {
    ...{ endpoint: server.endpoint, retrievals },
    thaw() {
      isFrozen = false;
    },
  };
}
