import { describe, expect, test } from 'vitest';
import { type DenormError, TransientError } from '../../../src/model/basics/errors.ts';
import { fromAws } from '../../../src/worker/adapters/aws-errors.ts';

function aws(name: string, status?: number): Error {
  return Object.assign(new Error('it holds a secret'), {
    name,
    ...(status !== undefined && { $metadata: { httpStatusCode: status } }),
  });
}

function node(code: string): Error {
  return Object.assign(new Error('it holds a secret'), { code });
}

/** In the form of Node. */
function refused(): Error {
  return Object.assign(node('ECONNREFUSED'), { address: '127.0.0.1', port: 8000 });
}

function read(error: unknown): DenormError {
  return fromAws(error, 'GetItem of table orders');
}

describe('an error of an AWS client', () => {
  test.each([
    [aws('ThrottlingException', 400), 'aws.throttled'],
    [aws('RequestThrottled', 403), 'aws.throttled'],
    [aws('SlowDown', 503), 'aws.throttled'],
    [aws('SomethingNew', 429), 'aws.throttled'],
    [aws('TimeoutError'), 'aws.timeout'],
    [aws('AbortError'), 'aws.timeout'],
    [aws('RequestTimeout', 400), 'aws.timeout'],
    [node('ETIMEDOUT'), 'aws.timeout'],
    [node('ECONNREFUSED'), 'aws.network'],
    [refused(), 'aws.unreachable'],
    [node('ENOTFOUND'), 'aws.network'],
    [aws('InternalServerError', 500), 'aws.fault'],
    [aws('SyntaxError', 200), 'aws.fault'],
    [aws('BadDigest', 400), 'aws.garbled'],
    [aws('TransactionInProgressException', 400), 'aws.conflict'],
    [aws('OperationAborted', 409), 'aws.conflict'],
    [aws('SomethingNew', 409), 'aws.conflict'],
  ])('is temporary: %s is %s', (error, code) => {
    expect(read(error)).toMatchObject({ name: 'TransientError', code, cause: error });
  });

  test.each([
    [aws('AccessDeniedException', 400), 'aws.denied'],
    [aws('AccessDenied', 403), 'aws.denied'],
    [aws('SomethingNew', 403), 'aws.denied'],
    [aws('UnrecognizedClientException', 400), 'aws.credentials'],
    [aws('ExpiredToken', 400), 'aws.credentials'],
    [aws('CredentialsProviderError'), 'aws.no-credentials'],
    [new Error('Region is missing'), 'aws.region'],
    [aws('ResourceNotFoundException', 400), 'aws.not-found'],
    [aws('QueueDoesNotExist', 400), 'aws.not-found'],
    [aws('NoSuchBucket', 404), 'aws.not-found'],
    [aws('PermanentRedirect', 301), 'aws.not-found'],
    [aws('NotFound', 404), 'aws.not-found'],
    [aws('ValidationException', 400), 'aws.invalid'],
    [aws('SomethingNew', 400), 'aws.invalid'],
    [new TypeError('it holds a secret'), 'aws.invalid'],
    ['it holds a secret', 'aws.invalid'],
  ])('is permanent: %s is %s', (error, code) => {
    expect(read(error)).toMatchObject({ name: 'FatalError', code, cause: error });
  });

  test.each([
    aws('ValidationException', 400),
    aws('it holds a secret', 400),
    node('a secret'),
    'it holds a secret',
  ])('is described by the request and the service’s code, never by its text: %s', (error) => {
    const { message } = read(error);

    expect(message).toMatch(/^GetItem of table orders was \w+.* \([\w.]+\)$/);
    expect(message).not.toContain('secret');
  });

  test('is returned unchanged if it is a DenormError', () => {
    const error = new TransientError('queue.refused', 'no');

    expect(read(error)).toBe(error);
  });

  test.each([
    ['one address', refused()],
    ['each address of a name', Object.assign(node('ECONNREFUSED'), { errors: [refused(), refused()] })],
  ])('contains the address without a listener: at %s', (_, error) => {
    expect(read(error).message).toBe(
      'GetItem of table orders found that nothing listens at 127.0.0.1:8000: start the service there (for a ' +
        'local table, `npx denorm dev`), or correct the endpoint (ECONNREFUSED)',
    );
  });
});
