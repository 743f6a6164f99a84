#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
CDK's FilterRule, in the filter of a stream's event source, against AWS's own matcher of patterns (event-ruler). Numbers are texts
in a stream record: isEqual(5) makes a numeric pattern, which no record can match; isEqual('5') does. exists() of an attribute,
rather than of its type, matches no record that has it. notExists() of OldImage, which reads as "only inserts", matches every
record. And between(5, 10) leaves out its lower end.
WORDS
npm_install aws-cdk-lib@2.276.0 constructs@10.8.1
maven_install software.amazon.event.ruler:event-ruler:1.8.1
cat >program.cjs <<'PROGRAM'
const { FilterCriteria, FilterRule } = require('aws-cdk-lib/aws-lambda');
const image = (n) => ({ dynamodb: { NewImage: { n } } });
const filters = {
  'N: isEqual(5)': image({ N: FilterRule.isEqual(5) }),
  "N: isEqual('5')": image({ N: FilterRule.isEqual('5') }),
  'n: exists()': image(FilterRule.exists()),
  'N: exists()': image({ N: FilterRule.exists() }),
  'OldImage: notExists()': { dynamodb: { OldImage: FilterRule.notExists() } },
  'OldImage.PK.S: notExists()': { dynamodb: { OldImage: { PK: { S: FilterRule.notExists() } } } },
};
for (const [name, filter] of Object.entries(filters)) console.log(`${name}\t${FilterCriteria.filter(filter).pattern}`);
console.log(`between(5, 10)\t${JSON.stringify({ size: FilterRule.between(5, 10) })}`);
PROGRAM
node program.cjs >patterns
cat >Program.java <<'PROGRAM'
import java.nio.file.*;
import software.amazon.event.ruler.Ruler;

public class Program {
  public static void main(String[] arguments) throws Exception {
    String change = """
        {"eventName": "MODIFY", "dynamodb": {"Keys": {"PK": {"S": "order#1"}},
         "OldImage": {"PK": {"S": "order#1"}, "n": {"N": "4"}}, "NewImage": {"PK": {"S": "order#1"}, "n": {"N": "5"}}}}""";
    for (String line : Files.readAllLines(Path.of("patterns"))) {
      String name = line.split("\t")[0], pattern = line.split("\t")[1];
      boolean isRange = name.startsWith("between");
      System.out.println(name + ": " + pattern + " matches " + (isRange
          ? "5: " + Ruler.matchesRule("{\"size\": 5}", pattern) + ", 10: " + Ruler.matchesRule("{\"size\": 10}", pattern)
          : "a change of n from 4 to 5: " + Ruler.matchesRule(change, pattern)));
    }
  }
}
PROGRAM
java -cp 'lib/*' Program.java >seen
expect <<'SEEN'
N: isEqual(5): {"dynamodb":{"NewImage":{"n":{"N":[{"numeric":["=",5]}]}}}} matches a change of n from 4 to 5: false
N: isEqual('5'): {"dynamodb":{"NewImage":{"n":{"N":["5"]}}}} matches a change of n from 4 to 5: true
n: exists(): {"dynamodb":{"NewImage":{"n":[{"exists":true}]}}} matches a change of n from 4 to 5: false
N: exists(): {"dynamodb":{"NewImage":{"n":{"N":[{"exists":true}]}}}} matches a change of n from 4 to 5: true
OldImage: notExists(): {"dynamodb":{"OldImage":[{"exists":false}]}} matches a change of n from 4 to 5: true
OldImage.PK.S: notExists(): {"dynamodb":{"OldImage":{"PK":{"S":[{"exists":false}]}}}} matches a change of n from 4 to 5: false
between(5, 10): {"size":[{"numeric":[">",5,"<=",10]}]} matches 5: false, 10: true
SEEN
