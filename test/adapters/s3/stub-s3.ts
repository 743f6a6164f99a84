import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../suites/loopback-server.ts';

export interface StubS3 {
  readonly client: S3Client;
  readonly requests: readonly ServerRequest[];
  /** The bodies put under a key, the standing one last. */
  bodiesOf(objectKey: string): readonly string[];
  /** The next requests are answered so, in this order, and do nothing. */
  answerNext(...answers: readonly { readonly status: number; readonly code: string }[]): void;
  close(): Promise<void>;
}

/** As much of S3 as an archive speaks to, on the wire: conditions, checksums, metadata, and errors on demand. */
export async function stubS3(): Promise<StubS3> {
  const objects = new Map<string, { readonly body: string; readonly headers: ServerRequest['headers'] }[]>();
  const requests: ServerRequest[] = [];
  const next: ServerAnswer[] = [];

  function answer(request: ServerRequest): ServerAnswer {
    requests.push(request);
    const planned = next.shift();
    if (planned !== undefined) return planned;
    const key = keyOf(request.path);
    const standing = objects.get(key)?.at(-1);
    if (request.method === 'HEAD') {
      if (standing === undefined) return { status: 404 };
      const digest = String(standing.headers['x-amz-meta-digest']);
      return { status: 200, headers: { etag: etagOf(standing.body), 'x-amz-meta-digest': digest } };
    }
    const lost = lostCondition(request, standing?.body);
    if (lost !== undefined) return lost;
    const sha256 = createHash('sha256').update(request.body).digest('base64');
    if (request.headers['x-amz-checksum-sha256'] !== sha256) return failure(400, 'BadDigest');
    objects.set(key, [
      ...(objects.get(key) ?? []),
      { body: request.body.toString(), headers: request.headers },
    ]);
    return { status: 200, headers: { etag: etagOf(request.body.toString()) } };
  }

  const server = await loopbackServer(answer);
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return {
    client,
    requests,
    bodiesOf: (objectKey) => (objects.get(objectKey) ?? []).map(({ body }) => body),
    answerNext(...answers) {
      next.push(...answers.map(({ status, code }) => failure(status, code)));
    },
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

function lostCondition({ headers }: ServerRequest, standing: string | undefined): ServerAnswer | undefined {
  if (headers['if-none-match'] === '*')
    return standing === undefined ? undefined : failure(412, 'PreconditionFailed');
  if (standing === undefined) return failure(404, 'NoSuchKey');
  return headers['if-match'] === etagOf(standing) ? undefined : failure(412, 'PreconditionFailed');
}

function failure(status: number, code: string): ServerAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

/** The path is `/bucket/key?x-id=…`, each segment of the key encoded once more. */
function keyOf(path: string): string {
  const [, , ...segments] = (path.split('?')[0] ?? '').split('/');
  return segments.map(decodeURIComponent).join('/');
}

function etagOf(body: string): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
