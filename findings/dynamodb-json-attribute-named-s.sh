#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
dynamodb-json reads lines of an export (DynamoDB JSON). It takes every object that has a member S for a typed value: an item with an
attribute that is called S becomes the value of that attribute, and its other attributes are gone. Read and written again, a set
is a list (a number set even a list of texts), and a binary value is a text.
WORDS
pip_install dynamodb-json==1.4.2
python3 - >seen <<'PROGRAM'
from dynamodb_json import json_util

for line in [
    '{"PK": {"S": "shirt#1"}, "S": {"N": "12"}, "M": {"N": "7"}, "L": {"N": "3"}}',
    '{"PK": {"S": "shirt#2"}, "sizes": {"M": {"S": {"N": "12"}, "XL": {"N": "7"}}}}',
    '{"PK": {"S": "shirt#3"}, "tags": {"SS": ["a", "b"]}}',
    '{"PK": {"S": "shirt#4"}, "counts": {"NS": ["5"]}}',
    '{"PK": {"S": "shirt#5"}, "image": {"B": "aGk="}}',
]:
    item = json_util.loads(line)
    print(item, '->', json_util.dumps(item))
PROGRAM
expect <<'SEEN'
12 -> "12"
{'PK': 'shirt#2', 'sizes': '12'} -> {"PK": {"S": "shirt#2"}, "sizes": {"S": "12"}}
{'PK': 'shirt#3', 'tags': ['a', 'b']} -> {"PK": {"S": "shirt#3"}, "tags": {"L": [{"S": "a"}, {"S": "b"}]}}
{'PK': 'shirt#4', 'counts': {'5'}} -> {"PK": {"S": "shirt#4"}, "counts": {"L": [{"S": "5"}]}}
{'PK': 'shirt#5', 'image': 'aGk='} -> {"PK": {"S": "shirt#5"}, "image": {"S": "aGk="}}
SEEN
