#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
In the event that Lambda hands over, a binary attribute is base64 text. Libraries that unmarshal the images of such an event take
that text for the value: Powertools for TypeScript and for Python, and middy. A handler that writes the image on, with the
document client say, writes a text attribute (S) with base64 in it where the item has a binary one (B).
WORDS
npm_install @aws-lambda-powertools/parser@2.35.0 zod@4.6.7 @middy/core@6.4.5 @middy/event-normalizer@6.4.5 @aws-sdk/util-dynamodb@3.996.9
pip_install aws-lambda-powertools==3.37.0
cat >event.json <<'EVENT'
{"Records": [{"eventID": "1", "eventName": "INSERT", "eventVersion": "1.1", "eventSource": "aws:dynamodb",
  "awsRegion": "us-east-1", "eventSourceARN": "arn:aws:dynamodb:us-east-1:123456789012:table/app/stream/2026-01-01T00:00:00.000",
  "dynamodb": {"ApproximateCreationDateTime": 1767225600, "Keys": {"PK": {"S": "photo#1"}},
    "NewImage": {"PK": {"S": "photo#1"}, "thumbnail": {"B": "aGk="}},
    "SequenceNumber": "111100000000000000000000001", "SizeBytes": 26, "StreamViewType": "NEW_AND_OLD_IMAGES"}}]}
EVENT
cat >program.mjs <<'PROGRAM'
import { readFileSync } from 'node:fs';
import { DynamoDBStreamSchema } from '@aws-lambda-powertools/parser/schemas/dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import middy from '@middy/core';
import normalizer from '@middy/event-normalizer';

const event = () => JSON.parse(readFileSync('event.json', 'utf8'));
const parsed = DynamoDBStreamSchema.parse(event()).Records[0].dynamodb.NewImage;
console.log('Powertools (TypeScript):', JSON.stringify(parsed), '->', JSON.stringify(marshall(parsed)));
const normalized = await middy()
  .use(normalizer())
  .handler(async ({ Records }) => Records[0].dynamodb.NewImage)(event(), {});
console.log('middy:', JSON.stringify(normalized), '->', JSON.stringify(marshall(normalized)));
PROGRAM
node program.mjs >seen
python3 - >>seen <<'PROGRAM'
import json
from aws_lambda_powertools.utilities.data_classes import DynamoDBStreamEvent

event = DynamoDBStreamEvent(json.load(open('event.json')))
print('Powertools (Python):', next(event.records).dynamodb.new_image)
PROGRAM
expect <<'SEEN'
Powertools (TypeScript): {"PK":"photo#1","thumbnail":"aGk="} -> {"PK":{"S":"photo#1"},"thumbnail":{"S":"aGk="}}
middy: {"PK":"photo#1","thumbnail":"aGk="} -> {"PK":{"S":"photo#1"},"thumbnail":{"S":"aGk="}}
Powertools (Python): {'PK': 'photo#1', 'thumbnail': 'aGk='}
SEEN
