import { S3Client } from '@aws-sdk/client-s3';
import { loopbackClientSettings } from '../../../../src/develop/dev/loopback.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../../../suites/loopback-server.ts';

/** Keys per page of the list: few, so that there are several pages. */
const pageSize = 10;

export interface FailedBatchAnswers {
  answer(request: ServerRequest): ServerAnswer;
  /** The current keys. */
  standing(): readonly string[];
  /** Method and query of each request. */
  readonly requests: readonly string[];
  put(key: string, text: string): void;
  /** Plans the answer to the next request. */
  answerNext(status: number, code: string): void;
  /** Gives the next list an empty page, which is not the last. */
  emptyPageNext(): void;
}

export interface StubFailedBatches extends FailedBatchAnswers {
  readonly client: S3Client;
  close(): Promise<void>;
}

/** The part of S3 that reading a failure bucket needs, on the wire: a list in pages, objects, their removal. */
export async function stubFailedBatches(): Promise<StubFailedBatches> {
  const answers = failedBatchAnswers();
  const server = await loopbackServer(answers.answer);
  const client = new S3Client({
    ...loopbackClientSettings(server.endpoint),
    forcePathStyle: true,
    maxAttempts: 1,
  });
  return {
    ...answers,
    client,
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

/** The same, without a separate server. */
export function failedBatchAnswers(): FailedBatchAnswers {
  const objects = new Map<string, string>();
  const requests: string[] = [];
  const next: ServerAnswer[] = [];

  function answer({ method, path }: ServerRequest): ServerAnswer {
    const url = new URL(path, 'http://s3');
    requests.push(`${method} ${url.search}`);
    const planned = next.shift();
    if (planned !== undefined) return planned;
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    if (method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    if (url.searchParams.get('list-type') === '2') return list(url.searchParams);
    const body = objects.get(key);
    return body === undefined ? failure(404, 'NoSuchKey') : { status: 200, body };
  }

  function list(asked: URLSearchParams): ServerAnswer {
    const after = asked.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after)
      .sort();
    const page = keys.slice(0, pageSize);
    const isTruncated = keys.length > page.length;
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    const more = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(
      200,
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}${more}</ListBucketResult>`,
    );
  }

  return {
    answer,
    standing: () => [...objects.keys()],
    requests,
    put(key, text) {
      objects.set(key, text);
    },
    answerNext(status, code) {
      next.push(failure(status, code));
    },
    emptyPageNext() {
      const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>';
      next.push(xml(200, `<ListBucketResult>${more}</ListBucketResult>`));
    },
  };
}

function failure(status: number, code: string): ServerAnswer {
  return xml(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function xml(status: number, body: string): ServerAnswer {
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
