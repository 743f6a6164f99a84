/** Requests in DynamoDB's protocol, as every SDK sends them, to a server on 127.0.0.1. */
export async function dynamodb(port, operation, body, service = 'DynamoDB') {
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${service}_20120810.${operation}`,
      'x-amz-date': '20260101T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** Creates a table with the text key `PK`, with a stream of both images; resolves to the stream's ARN. */
export async function createTable(port, name) {
  const { TableDescription } = await dynamodb(port, 'CreateTable', {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'PK', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  return TableDescription.LatestStreamArn;
}

/** All records of a stream, as `INSERT a`. */
export async function recordsOf(port, StreamArn) {
  const streams = (operation, body) => dynamodb(port, operation, body, 'DynamoDBStreams');
  const { StreamDescription } = await streams('DescribeStream', { StreamArn });
  const records = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const { ShardIterator } = await streams('GetShardIterator', {
      StreamArn,
      ShardId,
      ShardIteratorType: 'TRIM_HORIZON',
    });
    records.push(...(await streams('GetRecords', { ShardIterator })).Records);
  }
  return records.map(({ eventName, dynamodb: { Keys } }) => `${eventName} ${Keys.PK.S}`);
}

/** JSON with the names in order, since servers return the attributes of an item in any. */
export function text(value) {
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${text(value[name])}`).join(',')}}`;
}
