/** The usual handler with what it has in production: the logger, the metrics and the batch processor of Powertools. */
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Context, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import pLimit from 'p-limit';
import { fanOut } from './usual-handler.ts';

const logger = new Logger();
const metrics = new Metrics();
const document = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const processor = new BatchProcessor(EventType.DynamoDBStreams);
const limit = pLimit(10);

export async function handler(event: DynamoDBStreamEvent, context: Context) {
  logger.addContext(context);
  const visit = async (record: DynamoDBRecord) => {
    await fanOut(document, limit, record);
    metrics.addMetric('Propagated', MetricUnit.Count, 1);
    logger.info('propagated', { eventId: record.eventID });
  };
  const response = await processPartialResponse(event, visit, processor, { context });
  metrics.publishStoredMetrics();
  return response;
}
