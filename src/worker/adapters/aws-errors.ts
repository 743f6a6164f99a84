import { DenormError, FatalError, TransientError } from '../../model/basics/errors.ts';

interface Meaning {
  readonly code: string;
  /** A later attempt may succeed. */
  readonly passes: boolean;
  /** For errors whose HTTP status is ambiguous or misleading. */
  readonly names?: RegExp;
  readonly words: string;
}

const meanings = {
  throttled: {
    code: 'aws.throttled',
    passes: true,
    names:
      /Throttl|ThroughputExceeded|TooManyRequests|^RequestLimitExceeded|^LimitExceeded|^OverLimit|^SlowDown/,
    words: 'was throttled: it may be tried again later',
  },
  timeout: {
    code: 'aws.timeout',
    passes: true,
    names: /^RequestTimeout|^TimeoutError|^AbortError|^ETIMEDOUT/,
    words: 'was not answered in time: it may be tried again later',
  },
  unreachable: {
    code: 'aws.unreachable',
    passes: true,
    words:
      'found that nothing listens at <address>: start the service there (for a local table, `npx denorm dev`), or correct the endpoint',
  },
  network: {
    code: 'aws.network',
    passes: true,
    // Node's error codes for connections that failed or broke.
    names:
      /^(E(CONN\w+|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN|NOTFOUND|AI_\w+|PROTO|ADDRNOTAVAIL|MFILE|NFILE)|UND_ERR\w*|HPE_\w+|ERR_(HTTP2|STREAM)_\w+)$/,
    words: 'found no working connection: check the endpoint, or try again later',
  },
  fault: {
    code: 'aws.fault',
    passes: true,
    names: /^Internal(Server)?(Error|Failure)$|^ServiceUnavailable/,
    words: 'failed within the service: it may be tried again later',
  },
  garbled: {
    code: 'aws.garbled',
    passes: true,
    // S3: the received body differs from the body that was sent.
    names: /^BadDigest|ChecksumMismatch$/,
    words: 'arrived garbled, by its checksum: it may be tried again later',
  },
  conflict: {
    code: 'aws.conflict',
    passes: true,
    names: /^TransactionInProgress|^TransactionConflict|WriteConflict|^OperationAborted/,
    words: 'met another request on the same thing: it may be tried again later',
  },
  denied: {
    code: 'aws.denied',
    passes: false,
    names: /AccessDenied/,
    words: 'was denied: allow the action to the role that asks for it',
  },
  region: {
    code: 'aws.region',
    passes: false,
    words: 'could not be sent, because no region is known: give one, by --region or AWS_REGION',
  },
  noCredentials: {
    code: 'aws.no-credentials',
    passes: false,
    names: /^CredentialsProviderError/,
    words:
      'could not be sent, because no credentials are known that work: give some, by --profile or in the environment',
  },
  credentials: {
    code: 'aws.credentials',
    passes: false,
    names:
      /^UnrecognizedClient|^Invalid(ClientTokenId|AccessKeyId)|Signature|^MissingAuthenticationToken|^ExpiredToken|^RequestExpired|TimeTooSkewed/,
    words: 'was sent with credentials that the service does not take: give valid ones',
  },
  notFound: {
    code: 'aws.not-found',
    passes: false,
    names:
      /^ResourceNotFound|QueueDoesNotExist|NonExistentQueue|^NoSuchBucket|^PermanentRedirect|^AuthorizationHeaderMalformed/,
    words: 'names something that is not there: check its name and region',
  },
  invalid: {
    code: 'aws.invalid',
    passes: false,
    words: 'was refused as invalid: check that the resource has the expected shape',
  },
} as const satisfies Readonly<Record<string, Meaning>>;

/**
 * Converts an error thrown by an AWS client: `TransientError` if a later attempt may succeed, `FatalError` otherwise, with a
 * code such as `aws.throttled`. Its message never repeats the service's text, which may contain keys and values; `cause` does,
 * so do not log it.
 * @param what the request, without item content: 'GetItem of table orders'
 */
export function fromAws(error: unknown, what: string): DenormError {
  if (error instanceof DenormError) return error;
  const { code, passes, words } = meaningOf(error);
  const message = `${what} ${words.replace('<address>', addressOf(error) ?? '')} (${awsCode(error)})`;
  return new (passes ? TransientError : FatalError)(code, message, { cause: error });
}

export async function awsCall<Answer>(what: string, request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    throw fromAws(error, what);
  }
}

/** Such as `ThrottlingException`; `unknown` if there is none that is safe to log. */
export function awsCode(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return short(name !== '' && name !== 'Error' ? name : own(error, 'code'));
}

/** Undefined if the service did not answer. */
export function awsStatus(error: unknown): number | undefined {
  const status = own(own(error, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}

function meaningOf(error: unknown): Meaning {
  const codes = [awsCode(error), short(own(error, 'code'))];
  if (codes.includes('ECONNREFUSED') && addressOf(error) !== undefined) return meanings.unreachable;
  const named = Object.values<Meaning>(meanings).find(({ names }) => codes.some((code) => names?.test(code)));
  if (named !== undefined) return named;
  // The SDK has no name for this error.
  if (error instanceof Error && error.message === 'Region is missing') return meanings.region;
  const status = awsStatus(error);
  if (status === undefined) return meanings.invalid;
  if (status === 301 || status === 404) return meanings.notFound;
  // An unreadable response, or a server error without a name here.
  if (status >= 500 || status < 400) return meanings.fault;
  if (status === 401 || status === 403) return meanings.denied;
  if (status === 408) return meanings.timeout;
  if (status === 409) return meanings.conflict;
  return status === 429 ? meanings.throttled : meanings.invalid;
}

/** The address that refused the connection; of several, the first. */
function addressOf(error: unknown): string | undefined {
  const tried = own(error, 'errors');
  const firstFailure: unknown = Array.isArray(tried) ? tried[0] : error;
  const address = own(firstFailure, 'address');
  const port = own(firstFailure, 'port');
  return typeof address === 'string' && typeof port === 'number' ? `${address}:${port}` : undefined;
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function short(code: unknown): string {
  return typeof code === 'string' && /^[\w.$:-]{1,80}$/.test(code) ? code : 'unknown';
}
