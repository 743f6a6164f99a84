/**
 * The update flavour of aws-lambda-stream, with its own connector. It is installed apart, by `npm ci` in
 * bench/aws-lambda-stream: in the project, its peers would give each client of the SDK an HTTP handler of its own.
 */
import { createRequire } from 'node:module';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { recordsOf } from '../works.ts';
import { changesOf, copyQuery, newImage, type Plain, wantedOf } from './copied.ts';
import { connection, tableName, type Way } from './way.ts';

interface UnitOfWork {
  readonly record: DynamoDBRecord;
  readonly queryResponse: Plain;
}

interface Stream {
  through(next: (stream: Stream) => unknown): Promise<unknown>;
}

const require = createRequire(new URL('../aws-lambda-stream/package.json', import.meta.url));

export function awsLambdaStream(parallel: number): Way {
  return async (work, { endpoint }) => {
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_REGION: connection.region,
      AWS_ACCESS_KEY_ID: connection.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: connection.credentials.secretAccessKey,
    });
    const { update } = part('flavors/update');
    const { initialize, initializeFrom } = part('pipelines');
    const { fromDynamodb } = part('from/dynamodb');
    const { toPromise } = part('utils/handler');
    const rule = {
      id: 'copies',
      flavor: update,
      eventType: /-updated$/,
      tableName,
      parallel,
      toQueryRequest: ({ record }: UnitOfWork) => copyQuery(newImage(record)),
      splitOn: 'queryResponse',
      toUpdateRequest,
    };
    const event: DynamoDBStreamEvent = { Records: recordsOf(work) };
    return () => {
      // As its handlers do: `initialize` also empties its cache of queries.
      const head: Stream = fromDynamodb(event, { pkFn: 'PK', skFn: 'SK', discriminatorFn: 'Type' });
      const lines: Stream = initialize(initializeFrom([rule]), { debug: () => undefined }).assemble(
        head,
        false,
      );
      return lines.through(toPromise);
    };
  };

  function part(name: string) {
    return require(`aws-lambda-stream/${name}`);
  }
}

/** What differs, by the package's own expression, on condition that it is still as read; undefined if nothing differs. */
function toUpdateRequest({ record, queryResponse: copy }: UnitOfWork) {
  const { updateExpression } = require('aws-lambda-stream/sinks/dynamodb');
  const changes = changesOf(copy, wantedOf(newImage(record)));
  const names = Object.keys(changes);
  if (names.length === 0) return undefined;
  const { ExpressionAttributeValues, ...update } = updateExpression(changes);
  return {
    Key: { PK: copy['PK'], SK: copy['SK'] },
    ...update,
    ConditionExpression: ['attribute_exists(PK)', ...names.map((name) => `#${name} = :was${name}`)].join(
      ' AND ',
    ),
    ExpressionAttributeValues: {
      ...ExpressionAttributeValues,
      ...Object.fromEntries(names.map((name) => [`:was${name}`, copy[name]])),
    },
  };
}
