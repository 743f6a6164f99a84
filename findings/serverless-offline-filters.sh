#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
serverless-offline-dynamodb-streams applies an event source's filterPatterns on a developer's machine. Compared with AWS's own
matcher (event-ruler), it lets through what AWS does not: a numeric pattern matches N, which is a text; anything-but matches a
record without the attribute; exists matches an attribute, not only its type. And a pattern of a list's element, which matches in
AWS, matches nothing.
WORDS
npm_install serverless-offline-dynamodb-streams@8.0.1
maven_install software.amazon.event.ruler:event-ruler:1.8.1
cat >record.json <<'RECORD'
{"eventName": "INSERT", "dynamodb": {"NewImage": {"PK": {"S": "order#1"}, "total": {"N": "859"}, "tags": {"L": [{"S": "gift"}]}}}}
RECORD
cat >patterns <<'PATTERNS'
{"dynamodb": {"NewImage": {"total": {"N": ["859"]}}}}
{"dynamodb": {"NewImage": {"total": {"N": [{"numeric": ["=", 859]}]}}}}
{"dynamodb": {"NewImage": {"note": {"S": [{"anything-but": "draft"}]}}}}
{"dynamodb": {"NewImage": {"total": [{"exists": true}]}}}
{"dynamodb": {"NewImage": {"tags": {"L": {"S": ["gift"]}}}}}
PATTERNS
cat >program.cjs <<'PROGRAM'
const { readFileSync } = require('node:fs');
const { recordMatchesFilterPatterns } = require('serverless-offline-dynamodb-streams/src/filter-patterns.js');
const record = JSON.parse(readFileSync('record.json', 'utf8'));
for (const pattern of readFileSync('patterns', 'utf8').trim().split('\n'))
  console.log(recordMatchesFilterPatterns([JSON.parse(pattern)], record));
PROGRAM
cat >Program.java <<'PROGRAM'
import java.nio.file.*;
import software.amazon.event.ruler.Ruler;

public class Program {
  public static void main(String[] arguments) throws Exception {
    String record = Files.readString(Path.of("record.json"));
    for (String pattern : Files.readAllLines(Path.of("patterns"))) System.out.println(Ruler.matchesRule(record, pattern));
  }
}
PROGRAM
node program.cjs >offline
java -cp 'lib/*' Program.java >ruler
paste -d' ' ruler offline patterns | sed 's/^\([a-z]*\) \([a-z]*\) /event-ruler \1, serverless-offline \2: /' >seen
expect <<'SEEN'
event-ruler true, serverless-offline true: {"dynamodb": {"NewImage": {"total": {"N": ["859"]}}}}
event-ruler false, serverless-offline true: {"dynamodb": {"NewImage": {"total": {"N": [{"numeric": ["=", 859]}]}}}}
event-ruler false, serverless-offline true: {"dynamodb": {"NewImage": {"note": {"S": [{"anything-but": "draft"}]}}}}
event-ruler false, serverless-offline true: {"dynamodb": {"NewImage": {"total": [{"exists": true}]}}}
event-ruler true, serverless-offline false: {"dynamodb": {"NewImage": {"tags": {"L": {"S": ["gift"]}}}}}
SEEN
