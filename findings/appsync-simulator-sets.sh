#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
In AppSync's templates, $util.dynamodb.toStringSet and toNumberSet make a set, as their documentation says. Amplify's simulator
makes a map of them, with an attribute SS or NS that is a list of bare values, which no DynamoDB takes. Of a binary set it makes a
set.
WORDS
npm_install @aws-amplify/amplify-appsync-simulator@2.16.20
cat >program.cjs <<'PROGRAM'
const { dynamodbUtils } = require('@aws-amplify/amplify-appsync-simulator/lib/velocity/util/dynamodb-utils');
console.log('toStringSet:', JSON.stringify(dynamodbUtils.toStringSet(['a', 'b'])));
console.log('toNumberSet:', JSON.stringify(dynamodbUtils.toNumberSet([1, 2])));
console.log('toBinarySet:', JSON.stringify(dynamodbUtils.toBinarySet(['aGk='])));
PROGRAM
node program.cjs >seen
expect <<'SEEN'
toStringSet: {"M":{"SS":["a","b"]}}
toNumberSet: {"M":{"NS":["1","2"]}}
toBinarySet: {"BS":["aGk="]}
SEEN
