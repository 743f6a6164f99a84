import { createHash } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { onTestFinished } from 'vitest';
import { s3Archive } from '../../../../src/worker/adapters/s3/s3-archive.ts';
import {
  type Served,
  type ServerAnswer,
  type ServerRequest,
  served,
} from '../../../suites/loopback-server.ts';
import { listing, type StubVersion, versionsListing, xml } from './stub-s3-listing.ts';

export interface S3Answers {
  answer(request: ServerRequest): ServerAnswer;
  readonly requests: readonly ServerRequest[];
  /** Puts an object, past the requests. */
  put(objectKey: string, text: string): void;
  /** The current keys. */
  standing(): readonly string[];
  /** The bodies put under a key, the current one last. */
  bodiesOf(objectKey: string): readonly string[];
  /** Plans the answers to the next requests, in order. A request with one has no effect, except with `after`. */
  answerNext(...answers: readonly PlannedAnswer[]): void;
  /** Changes every version of an object directly: its body, as a broken disk would, or its checksum, as if it had none. */
  change(objectKey: string, changed: { readonly body?: Buffer; readonly checksum?: undefined }): void;
  /** Deletes as a person does, with a delete marker on top of the versions. */
  deleteByHand(objectKey: string): void;
}

/** An error, or a page of a list: what stands in it, as XML. */
export type PlannedAnswer =
  | { readonly status: number; readonly code: string; readonly after?: true }
  | { readonly page: string };

export interface StubS3 extends S3Answers, Served<S3Client> {
  /** The method that is denied from now on. */
  denied: string | undefined;
}

/**
 * The part of S3 that an archive and a failure bucket need, on the wire: conditions, checksums, versions, Glacier, lists, and
 * errors on demand.
 * @param maxAttempts of the client. Default: one, so that a test sees each answer
 */
export async function stubS3({ maxAttempts = 1 } = {}): Promise<StubS3> {
  const answers = s3Answers();
  const s3 = await served(
    (request) => {
      if (request.method === stub.denied) answers.answerNext({ status: 403, code: 'AccessDenied' });
      return answers.answer(request);
    },
    (settings) => new S3Client({ ...settings, forcePathStyle: true, maxAttempts }),
  );
  const stub: StubS3 = { ...answers, ...s3, denied: undefined };
  return stub;
}

/** A state to put. */
export const object = { body: '{"Item":{}}\n', digest: 'd1', sequence: 7n };

/** A stub for this test alone, and an archive in it. */
export async function archiveOnStub(options: { readonly maxAttempts?: number } = {}) {
  const s3 = await stubS3(options);
  onTestFinished(s3.close);
  const location = { client: s3.client, bucket: 'archive-bucket' };
  return { s3, location, archive: s3Archive(location) };
}

/** The same, without a separate server. */
export function s3Answers(): S3Answers {
  const objects = new Map<string, StubVersion[]>();
  const requests: ServerRequest[] = [];
  const next: PlannedAnswer[] = [];
  let puts = 0;
  const versionsOf = (key: string) => objects.get(key) ?? [];

  function answer(request: ServerRequest): ServerAnswer {
    requests.push(request);
    const planned = next.shift();
    if (planned === undefined) return answerTo(request);
    if ('page' in planned) return xml(200, planned.page);
    if (planned.after) answerTo(request);
    return failure(planned.status, planned.code);
  }

  function answerTo(request: ServerRequest): ServerAnswer {
    const { searchParams } = new URL(request.path, 'http://stub');
    if (searchParams.has('versions')) return versionsListing(objects, searchParams);
    if (searchParams.has('list-type')) return listing([...objects.keys()], searchParams);
    const key = keyOf(request.path);
    const versions = versionsOf(key);
    const wanted = searchParams.get('versionId');
    const version = wanted === null ? versions.at(-1) : versions.find(({ id }) => id === wanted);
    switch (request.method) {
      case 'HEAD':
        return headed(version);
      case 'GET':
        return got(version);
      case 'POST':
        return restored(version);
      case 'DELETE': {
        // Without a version, as in a bucket that has none.
        const left = versions.filter(({ id }) => wanted !== null && id !== wanted);
        if (left.length > 0) objects.set(key, left);
        else objects.delete(key);
        return { status: 204 };
      }
      default:
        return put(request, key);
    }
  }

  function put(request: ServerRequest, key: string): ServerAnswer {
    const standing = versionsOf(key).at(-1);
    const lost = lostCondition(request, standing?.deleted ? undefined : standing?.body);
    if (lost !== undefined) return lost;
    const { headers, body } = request;
    const sha256 = createHash('sha256').update(body).digest('base64');
    if (headers['x-amz-checksum-sha256'] !== sha256) return failure(400, 'BadDigest');
    add(key, { body, headers });
    return { status: 200, headers: { etag: etagOf(body) } };
  }

  function add(key: string, version: Partial<StubVersion>): void {
    puts += 1;
    const empty = { id: `v${puts}`, body: Buffer.from(''), headers: {}, at: new Date() };
    objects.set(key, [...versionsOf(key), { ...empty, lent: false, deleted: false, ...version }]);
  }

  return {
    answer,
    requests,
    put: (objectKey, text) => add(objectKey, { body: Buffer.from(text) }),
    standing: () => [...objects.keys()],
    bodiesOf: (objectKey) => versionsOf(objectKey).map(({ body }) => body.toString()),
    answerNext: (...answers) => next.push(...answers),
    change(objectKey, changed) {
      const checksum = 'checksum' in changed ? { 'x-amz-checksum-sha256': undefined } : {};
      objects.set(
        objectKey,
        versionsOf(objectKey).map((version) => ({
          ...version,
          body: changed.body ?? version.body,
          headers: { ...version.headers, ...checksum },
        })),
      );
    },
    deleteByHand: (objectKey) => add(objectKey, { deleted: true }),
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
  return xml(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
}

/** The path is `/bucket/key?x-id=…`, each segment of the key encoded once more. */
function keyOf(path: string): string {
  const [, , ...segments] = (path.split('?')[0] ?? '').split('/');
  return segments.map(decodeURIComponent).join('/');
}

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`;
}
