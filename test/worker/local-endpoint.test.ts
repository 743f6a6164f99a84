import { describe, expect, test } from 'vitest';
import { isLocalEndpoint } from '../../src/worker/environment.ts';

describe('a local endpoint', () => {
  test.each([
    'http://127.0.0.1:8000',
    'http://localhost:8000',
    'http://LOCALHOST:8000',
    'https://localhost./',
    'http://bucket.localhost:4566',
    'http://[::1]:8000',
    'http://[fe80::1]:8000',
    'http://172.17.0.1:8000',
    'http://203.0.113.7:8000',
    'http://host.docker.internal:8000',
    'http://host.containers.internal:8000',
    'http://ministack:4566',
    'http://printer.local',
    'https://localhost.localstack.cloud:4566',
  ])('is %s', (url) => {
    expect(isLocalEndpoint(url)).toBe(true);
  });

  test.each([
    'https://dynamodb.eu-central-1.amazonaws.com',
    'https://sqs.us-east-1.amazonaws.com/1/fan-out',
    'https://vpce-1.dynamodb.us-east-1.vpce.amazonaws.com',
    'https://127.0.0.1.example.com',
    'https://s3.example.com',
    'https://dynamodb.corp.internal',
    'app',
    '',
  ])('is not %s', (url) => {
    expect(isLocalEndpoint(url)).toBe(false);
  });
});
