import { onTestFinished } from 'vitest';
import { type FailedBatchAnswers, failedBatchAnswers } from '../adapters/s3/stub-failed-batches.ts';
import { type DeadLetterAnswers, deadLetterAnswers } from '../adapters/sqs/stub-dead-letters.ts';
import { loopbackServer, type ServerAnswer, type ServerRequest } from '../suites/loopback-server.ts';

/** A stack called `prod`, as CloudFormation, SQS, S3 and Lambda describe it on the wire. */
export interface StubCloud {
  readonly endpoint: string;
  readonly deadLetters: DeadLetterAnswers;
  readonly failed: FailedBatchAnswers;
  /** The functions that were invoked, and the number of records of each. */
  readonly invocations: (readonly [string, number])[];
  /** The answer of every function from now on. */
  answers: ServerAnswer;
}

/** Ends with the test. @param without an output that the stack lacks */
export async function stubCloud(without?: string): Promise<StubCloud> {
  const deadLetters = deadLetterAnswers();
  const failed = failedBatchAnswers();
  const invocations: (readonly [string, number])[] = [];
  const server = await loopbackServer((request) => {
    if (request.headers['x-amz-target'] !== undefined) return deadLetters.answer(request);
    const [, functionName] = /\/functions\/([^/]+)\/invocations/.exec(request.path) ?? [];
    if (functionName !== undefined) {
      invocations.push([functionName, JSON.parse(request.body.toString()).Records.length]);
      return cloud.answers;
    }
    if (/\/functions\/[^/]+\/configuration/.test(request.path)) return configuration;
    if (request.body.includes('Action=DescribeStacks')) return describe(request);
    return failed.answer(request);
  });
  onTestFinished(() => server.close());

  function describe({ body }: ServerRequest): ServerAnswer {
    const named = new URLSearchParams(body.toString()).get('StackName');
    if (named !== 'prod')
      return xml(400, '<ErrorResponse><Error><Code>ValidationError</Code></Error></ErrorResponse>');
    const outputs = Object.entries(outputsOf(server.endpoint)).filter(([name]) => name !== without);
    const members = outputs.map(
      ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    return xml(
      200,
      `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>prod</StackName><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    );
  }

  const cloud: StubCloud = {
    ...{ endpoint: server.endpoint, deadLetters, failed, invocations },
    answers: { status: 200, body: '{"batchItemFailures":[]}' },
  };
  return cloud;
}

const configuration: ServerAnswer = {
  status: 200,
  body: JSON.stringify({
    Environment: { Variables: { STATUS_SHARDS: '1', DISABLED_RULES: 'order-date-on-items' } },
  }),
};

function outputsOf(endpoint: string) {
  return {
    TableName: 'prod-table',
    StreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/prod-table/stream/1',
    PropagateFunction: 'prod-Propagate-A1',
    ArchiveFunction: 'prod-Archive-B2',
    FanOutFunction: 'prod-FanOut-C3',
    FanOutQueueUrl: `${endpoint}/123456789012/fan-out`,
    DeadLetterQueueUrl: `${endpoint}/123456789012/dead-letters`,
    ArchiveBucketName: 'prod-archive',
    FailureBucketName: 'prod-failed',
  };
}

function xml(status: number, body: string): ServerAnswer {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}
