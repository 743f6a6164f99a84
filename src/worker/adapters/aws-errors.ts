import { DenormError, FatalError, TransientError } from '../../model/errors.ts';

/** What an error of an AWS service, or of the connection to it, means to the worker. */
const meanings = [
  'throttled',
  'timeout',
  'unreachable',
  'network',
  'fault',
  'garbled',
  'conflict',
  'denied',
  'region',
  'no-credentials',
  'credentials',
  'not-found',
  'invalid',
] as const;

type Meaning = (typeof meanings)[number];

/**
 * Services use different names for the same error. These are the names whose HTTP status is ambiguous or
 * misleading.
 */
const names: Readonly<Record<Meaning, readonly string[]>> = {
  throttled: [
    'ThrottlingException',
    'Throttling',
    'ThrottledException',
    'ThrottlingError',
    'RequestThrottled',
    'RequestThrottledException',
    'RequestLimitExceeded',
    'ProvisionedThroughputExceeded',
    'ProvisionedThroughputExceededException',
    'TooManyRequestsException',
    'LimitExceededException',
    'KmsThrottled',
    'KMS.ThrottlingException',
    'OverLimit',
    'SlowDown',
  ],
  timeout: ['RequestTimeout', 'RequestTimeoutException', 'TimeoutError', 'AbortError'],
  unreachable: [],
  network: [],
  fault: ['InternalServerError', 'InternalError', 'InternalFailure', 'ServiceUnavailable'],
  // S3: the received body differs from the body that was sent.
  garbled: ['BadDigest', 'XAmzContentChecksumMismatch'],
  conflict: [
    'TransactionInProgressException',
    'TransactionConflictException',
    'TransactionConflict',
    'ReplicatedWriteConflictException',
    'OperationAborted',
  ],
  denied: ['AccessDeniedException', 'AccessDenied'],
  region: [],
  'no-credentials': ['CredentialsProviderError'],
  credentials: [
    'UnrecognizedClientException',
    'InvalidClientTokenId',
    'InvalidAccessKeyId',
    'InvalidSignatureException',
    'SignatureDoesNotMatch',
    'IncompleteSignatureException',
    'MissingAuthenticationTokenException',
    'ExpiredToken',
    'ExpiredTokenException',
    'RequestExpired',
    'RequestTimeTooSkewed',
  ],
  'not-found': [
    'ResourceNotFoundException',
    'ResourceNotFound',
    'QueueDoesNotExist',
    'AWS.SimpleQueueService.NonExistentQueue',
    'NoSuchBucket',
    'PermanentRedirect',
    'AuthorizationHeaderMalformed',
  ],
  invalid: [],
};

const meaningOfName: ReadonlyMap<string, Meaning> = new Map(
  meanings.flatMap((meaning) => names[meaning].map((name) => [name, meaning] as const)),
);

/** Node's error codes for connections that failed or broke. */
const networkCode =
  /^(E(CONN\w+|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN|NOTFOUND|AI_\w+|PROTO|ADDRNOTAVAIL|MFILE|NFILE)|UND_ERR\w*|HPE_\w+|ERR_(HTTP2|STREAM)_\w+)$/;

const saying: Readonly<Record<Meaning, string>> = {
  throttled: 'was throttled: it may be tried again later',
  timeout: 'was not answered in time: it may be tried again later',
  unreachable:
    'found that nothing listens at <address>: start the service there (for a local table, `npx denorm dev`), or correct the endpoint',
  network: 'found no working connection: check the endpoint, or try again later',
  fault: 'failed within the service: it may be tried again later',
  garbled: 'arrived garbled, by its checksum: it may be tried again later',
  conflict: 'met another request on the same thing: it may be tried again later',
  denied: 'was denied: allow the action to the role that asks for it',
  region: 'could not be sent, because no region is known: give one, by --region or AWS_REGION',
  'no-credentials':
    'could not be sent, because no credentials are known that work: give some, by --profile or in the environment',
  credentials: 'was sent with credentials that the service does not take: give valid ones',
  'not-found': 'names something that is not there: check its name and region',
  invalid: 'was refused as invalid: check that the resource has the expected shape',
};

/**
 * Converts an error thrown by an AWS client: `TransientError` if a later attempt may succeed (throttling,
 * 5xx, a timeout, the network), `FatalError` otherwise. The code is `aws.` and the meaning: `aws.throttled`,
 * `aws.denied`, `aws.not-found`. The message never repeats the service's text, which may contain keys and
 * values. `cause` does, so do not log it. An error of this project is returned as it is.
 * @param what the request, for the message, without item content: 'GetItem of table orders'
 */
export function fromAws(error: unknown, what: string): DenormError {
  if (error instanceof DenormError) return error;
  const meaning = meaningOf(error);
  const said = saying[meaning].replace('<address>', addressOf(error) ?? '');
  const message = `${what} ${said} (${awsCode(error)})`;
  switch (meaning) {
    case 'throttled':
    case 'timeout':
    case 'unreachable':
    case 'network':
    case 'fault':
    case 'garbled':
    case 'conflict':
      return new TransientError(`aws.${meaning}`, message, { cause: error });
    case 'denied':
    case 'region':
    case 'no-credentials':
    case 'credentials':
    case 'not-found':
    case 'invalid':
      return new FatalError(`aws.${meaning}`, message, { cause: error });
  }
}

/** The service's own short code of an error, such as `ThrottlingException`; `unknown` if it has none that is safe to log. */
export function awsCode(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  const code = own(error, 'code');
  if (name !== '' && name !== 'Error') return short(name);
  return typeof code === 'string' ? short(code) : 'unknown';
}

/** The HTTP status that the service answered with; undefined if it did not answer. */
export function awsStatus(error: unknown): number | undefined {
  const status = own(own(error, '$metadata'), 'httpStatusCode');
  return typeof status === 'number' ? status : undefined;
}

function meaningOf(error: unknown): Meaning {
  const code = own(error, 'code');
  const named =
    meaningOfName.get(awsCode(error)) ?? (typeof code === 'string' ? meaningOfName.get(code) : undefined);
  if (named !== undefined) return named;
  if (typeof code === 'string' && code === 'ETIMEDOUT') return 'timeout';
  if (code === 'ECONNREFUSED' && addressOf(error) !== undefined) return 'unreachable';
  if (typeof code === 'string' && networkCode.test(code)) return 'network';
  // The SDK has no name for this error.
  if (error instanceof Error && error.message === 'Region is missing') return 'region';
  const status = awsStatus(error);
  if (status === undefined) return 'invalid';
  // A bucket in another region: the response to HEAD has no details.
  if (status === 301) return 'not-found';
  // An unreadable response, or a server error that is not listed here.
  if (status >= 500 || status < 400) return 'fault';
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not-found';
  if (status === 408) return 'timeout';
  if (status === 409) return 'conflict';
  return status === 429 ? 'throttled' : 'invalid';
}

/** The address that refused the connection, from Node's error. If several were tried, the first. */
function addressOf(error: unknown): string | undefined {
  const tried = own(error, 'errors');
  const refused: unknown = Array.isArray(tried) ? tried[0] : error;
  const address = own(refused, 'address');
  const port = own(refused, 'port');
  return typeof address === 'string' && typeof port === 'number' ? `${address}:${port}` : undefined;
}

function own(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

function short(code: string): string {
  return /^[\w.$:-]{1,80}$/.test(code) ? code : 'unknown';
}
