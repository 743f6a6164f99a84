import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../../suites/loopback-server.ts';
import { type StubVersion, versionsListing } from './stub-s3-listing.ts';

export interface StubS3 {
  readonly client: S3Client;
  readonly requests: readonly ServerRequest[];
  /** The bodies put under a key, the current one last. */
  bodiesOf(objectKey: string): readonly string[];
  /** Plans the answers to the next requests, in order. A request with one has no effect, except with `after`. */
  answerNext(
    ...answers: readonly { readonly status: number; readonly code: string; readonly after?: true }[]
  ): void;
  /** Changes the current body directly, as a broken disk would. */
  damage(objectKey: string): void;
  /** Removes the checksum of the current object, as if it had been put without one. */
  forgetChecksum(objectKey: string): void;
  /** Deletes as a person does, with a delete marker on top of the versions. */
  deleteByHand(objectKey: string): void;
  close(): Promise<void>;
}

/** The retries of the stub’s client. Default: none, so that a test sees each answer. */
export interface StubS3Options {
  readonly maxAttempts?: number;
}

/** The part of S3 that an archive needs, on the wire: conditions, checksums, versions, Glacier, and errors on demand. */
export async function stubS3({ maxAttempts = 1 }: StubS3Options = {}): Promise<StubS3> {
  const objects = new Map<string, StubVersion[]>();
  const requests: ServerRequest[] = [];
  const next: { readonly answer: ServerAnswer; readonly after: boolean }[] = [];
  let puts = 0;

  function answer(request: ServerRequest): ServerAnswer {
    requests.push(request);
    const planned = next.shift();
    if (planned?.after === false) return planned.answer;
    const done = answerTo(request);
    return planned?.answer ?? done;
  }

  function answerTo(request: ServerRequest): ServerAnswer {
    const url = new URL(request.path, 'http://stub');
    const key = keyOf(request.path);
    if (url.searchParams.has('versions')) return versionsListing(objects, url.searchParams);
    const versions = objects.get(key) ?? [];
    const wanted = url.searchParams.get('versionId');
    const version = wanted === null ? versions.at(-1) : versions.find(({ id }) => id === wanted);
    switch (request.method) {
      case 'HEAD':
        return headed(version);
      case 'GET':
        return got(version);
      case 'POST':
        return restored(version);
      case 'DELETE':
        objects.set(
          key,
          versions.filter(({ id }) => id !== wanted),
        );
        return { status: 204 };
      default:
        return put(request, key, versions);
    }
  }

  function put(request: ServerRequest, key: string, versions: readonly StubVersion[]): ServerAnswer {
    const standing = versions.at(-1);
    const lost = lostCondition(request, standing?.deleted ? undefined : standing?.body);
    if (lost !== undefined) return lost;
    const sha256 = createHash('sha256').update(request.body).digest('base64');
    if (request.headers['x-amz-checksum-sha256'] !== sha256) return failure(400, 'BadDigest');
    puts += 1;
    const { headers, body } = request;
    const version = { id: `v${puts}`, body, headers, at: new Date(), lent: false, deleted: false };
    objects.set(key, [...versions, version]);
    return { status: 200, headers: { etag: etagOf(body) } };
  }

  const server = await loopbackServer(answer);
  const client = new S3Client({
    ...loopbackClientSettings(server.endpoint),
    forcePathStyle: true,
    maxAttempts,
  });
  return {
    client,
    requests,
    bodiesOf: (objectKey) => (objects.get(objectKey) ?? []).map(({ body }) => body.toString()),
    answerNext(...answers) {
      for (const { status, code, after = false } of answers)
        next.push({ answer: failure(status, code), after });
    },
    damage(objectKey) {
      const versions = objects.get(objectKey) ?? [];
      const damaged = versions.map((version) => ({ ...version, body: Buffer.from('something else') }));
      objects.set(objectKey, damaged);
    },
    forgetChecksum(objectKey) {
      const versions = objects.get(objectKey) ?? [];
      const bare = versions.map((version) => ({
        ...version,
        headers: { ...version.headers, 'x-amz-checksum-sha256': undefined },
      }));
      objects.set(objectKey, bare);
    },
    deleteByHand(objectKey) {
      puts += 1;
      const marker = {
        id: `v${puts}`,
        body: Buffer.from(''),
        headers: {},
        at: new Date(),
        lent: false,
        deleted: true,
      };
      objects.set(objectKey, [...(objects.get(objectKey) ?? []), marker]);
    },
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

function headed(version: StubVersion | undefined): ServerAnswer {
  if (version === undefined || version.deleted) return { status: 404 };
  return { status: 200, headers: { ...headersOf(version), 'content-length': String(version.body.length) } };
}

function got(version: StubVersion | undefined): ServerAnswer {
  if (version === undefined || version.deleted) return failure(404, 'NoSuchKey');
  if (inGlacier(version) && !version.lent) return failure(403, 'InvalidObjectState');
  return { status: 200, headers: headersOf(version), body: version.body };
}

function restored(version: StubVersion | undefined): ServerAnswer {
  if (version === undefined || version.deleted) return failure(404, 'NoSuchKey');
  if (!inGlacier(version)) return failure(403, 'InvalidObjectState');
  version.lent = true;
  return { status: 202 };
}

function headersOf({ id, body, headers, lent }: StubVersion): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && /^x-amz-(meta-.*|storage-class|checksum-sha256)$/.test(name),
  );
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    etag: etagOf(body),
    'x-amz-version-id': id,
    ...(lent && { 'x-amz-restore': 'ongoing-request="false", expiry-date="Fri, 21 Dec 2035 00:00:00 GMT"' }),
  };
}

function inGlacier({ headers }: StubVersion): boolean {
  return ['GLACIER', 'DEEP_ARCHIVE'].includes(String(headers['x-amz-storage-class']));
}

function lostCondition({ headers }: ServerRequest, standing: Buffer | undefined): ServerAnswer | undefined {
  if (headers['if-none-match'] === '*')
    return standing === undefined ? undefined : failure(412, 'PreconditionFailed');
  if (headers['if-match'] === undefined) return undefined;
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

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
