#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
boto3 writes Decimal('1E+41'), a number well within DynamoDB's range, and cannot read it back. It comes back as 42 digits (of
dynoxide here; dynalite and MiniStack answer alike), and boto3 takes the zeros for digits beyond 38. Powertools for Python reads the
same text as 1E+41.
WORDS
pip_install boto3==1.44.5 aws-lambda-powertools==3.37.0
npm_install @dynoxide/linux-x64@1.2.1
free_port
start dynoxide node_modules/@dynoxide/linux-x64/dynoxide serve --port "$PORT"
cat >create.mjs <<'PROGRAM'
const { createTable } = await import(process.env.CLIENT);
await createTable(process.argv[2], 'stars');
PROGRAM
node create.mjs "$PORT"
python3 - "$PORT" >seen <<'PROGRAM'
import decimal
import sys

import boto3
from aws_lambda_powertools.utilities.data_classes.dynamo_db_stream_event import DynamoDBRecord

settings = dict(
    endpoint_url=f'http://127.0.0.1:{sys.argv[1]}',
    region_name='us-east-1',
    aws_access_key_id='test',
    aws_secret_access_key='test',
)
key = {'PK': 'star#1'}
table = boto3.resource('dynamodb', **settings).Table('stars')
table.put_item(Item={**key, 'mass': decimal.Decimal('1E+41')})
try:
    print('boto3:', table.get_item(Key=key)['Item'])
except decimal.DecimalException as error:
    print('boto3:', type(error).__name__)
stored = boto3.client('dynamodb', **settings).get_item(TableName='stars', Key={'PK': {'S': 'star#1'}})['Item']
print('stored:', stored['mass'])
print('Powertools:', DynamoDBRecord({'dynamodb': {'NewImage': stored}}).dynamodb.new_image['mass'])
PROGRAM
expect <<'SEEN'
boto3: Rounded
stored: {'N': '100000000000000000000000000000000000000000'}
Powertools: 1E+41
SEEN
