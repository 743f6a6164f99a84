import * as z from 'zod';
import { type ServerAnswer, type ServerRequest, serverOfTest } from '../suites/loopback-server.ts';
import { type S3Answers, s3Answers } from '../worker/adapters/s3/stub-s3.ts';
import { type SqsAnswers, sqsAnswers } from '../worker/adapters/sqs/stub-sqs.ts';

/** A stack called `prod`, as CloudFormation, CloudWatch, SQS, S3 and Lambda describe it on the wire. */
export interface StubCloud {
  readonly endpoint: string;
  readonly deadLetters: SqsAnswers;
  /** The failure buckets of Propagate and of Archive. */
  readonly failed: S3Answers;
  readonly archiveFailed: S3Answers;
  /** The functions that were invoked, and the number of records of each. */
  readonly invocations: (readonly [string, number])[];
  /** The answer of every function from now on. */
  answers: ServerAnswer;
  /** The environment of every function from now on. */
  readonly environment: Record<string, string>;
  /** Values of the minute that has just ended, by function, metric and statistic: `propagate CopiesWritten Sum`; of a rule `fan-out <rule> …`. */
  readonly metrics: Map<string, number>;
  /** The number of metrics that each request for metrics asked for. */
  readonly metricRequests: number[];
}

/**
 * Ends with the test.
 * @param without an output that the stack lacks
 * @param dynamoDb the endpoint of its table `prod-table`; without one, it has none
 */
export async function stubCloud(without?: string, dynamoDb?: string): Promise<StubCloud> {
  const deadLetters = sqsAnswers();
  const failed = s3Answers();
  const archiveFailed = s3Answers();
  const invocations: (readonly [string, number])[] = [];
  const metrics = new Map<string, number>();
  const metricRequests: number[] = [];
  const server = await serverOfTest((request) => {
    const target = String(request.headers['x-amz-target'] ?? '');
    if (/^DynamoDB(Streams)?_/.test(target) && dynamoDb !== undefined) return forwarded(request, dynamoDb);
    if (target.endsWith('.GetMetricData')) return metricAnswer(request);
    if (request.headers['x-amz-target'] !== undefined) return deadLetters.answer(request);
    const [, functionName] = /\/functions\/([^/]+)\/invocations/.exec(request.path) ?? [];
    if (functionName !== undefined) {
      invocations.push([functionName, JSON.parse(request.body.toString()).Records.length]);
      return cloud.answers;
    }
    if (/\/functions\/[^/]+\/configuration/.test(request.path))
      return { status: 200, body: JSON.stringify({ Environment: { Variables: cloud.environment } }) };
    if (request.body.includes('Action=DescribeStacks')) return describe(request);
    return (request.path.startsWith('/prod-archive-failed') ? archiveFailed : failed).answer(request);
  });

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

  function metricAnswer({ body }: ServerRequest): ServerAnswer {
    const { MetricDataQueries: queries } = metricsSchema.parse(JSON.parse(body.toString()));
    metricRequests.push(queries.length);
    const minute = Math.floor(Date.now() / 60_000) * 60 - 60;
    const MetricDataResults = queries.map(({ Id, MetricStat: { Metric, Stat } }) => {
      const value = metrics.get(
        [...Metric.Dimensions.map(({ Value }) => Value), Metric.MetricName, Stat].join(' '),
      );
      return value === undefined
        ? { Id, StatusCode: 'Complete', Timestamps: [], Values: [] }
        : { Id, StatusCode: 'Complete', Timestamps: [minute], Values: [value] };
    });
    return { status: 200, body: JSON.stringify({ MetricDataResults }) };
  }

  const cloud: StubCloud = {
    ...{
      endpoint: server.endpoint,
      deadLetters,
      failed,
      archiveFailed,
      invocations,
      metrics,
      metricRequests,
    },
    answers: { status: 200, body: '{"batchItemFailures":[]}' },
    environment: {
      ...{ STATUS_SHARDS: '1', DISABLED_RULES: 'order-date-on-items' },
      POWERTOOLS_METRICS_NAMESPACE: 'denorm/prod',
    },
  };
  return cloud;
}

const metricsSchema = z.object({
  MetricDataQueries: z.array(
    z.object({
      Id: z.string().regex(/^[a-z]\w*$/),
      MetricStat: z.object({
        Metric: z.object({
          Namespace: z.literal('denorm/prod'),
          MetricName: z.string(),
          Dimensions: z.tuple(
            [z.object({ Name: z.literal('service'), Value: z.string() })],
            z.object({ Name: z.literal('rule'), Value: z.string() }),
          ),
        }),
        Period: z.literal(60),
        Stat: z.string(),
      }),
    }),
  ),
});

async function forwarded({ headers, body }: ServerRequest, endpoint: string): Promise<ServerAnswer> {
  const signed = Object.entries(headers).filter(([name]) =>
    /^(x-amz-|content-type|authorization)/.test(name),
  );
  const answer = await fetch(endpoint, {
    ...{ method: 'POST', body: new Uint8Array(body) },
    headers: signed.map(([name, value]) => [name, String(value)]),
  });
  return { status: answer.status, body: await answer.text() };
}

export function outputsOf(endpoint: string) {
  return {
    TableName: 'prod-table',
    StreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/prod-table/stream/1',
    PropagateFunction: 'prod-Propagate-A1',
    ArchiveFunction: 'prod-Archive-B2',
    FanOutFunction: 'prod-FanOut-C3',
    FanOutQueueUrl: `${endpoint}/123456789012/fan-out`,
    DeadLetterQueueUrl: `${endpoint}/123456789012/dead-letters`,
    ArchiveBucketName: 'prod-archive',
    PropagateFailureBucketName: 'prod-failed',
    ArchiveFailureBucketName: 'prod-archive-failed',
  };
}

function xml(status: number, body: string): ServerAnswer {
  return { status, headers: { 'content-type': 'text/xml' }, body };
}
