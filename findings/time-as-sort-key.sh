#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
A time in a sort key has to sort as text. Go's attributevalue and guregu/dynamo, and Java's enhanced client, leave the fraction out
of a time of a whole second: it then sorts after the half second that follows it, since Z comes after the point. (JavaScript's
toISOString always has three digits.)
WORDS
maven_install software.amazon.awssdk:dynamodb-enhanced:2.57.8
echo 'Go github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue@v1.21.21 github.com/guregu/dynamo/v2@v2.1.1'
cat >main.go <<'PROGRAM'
package main

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"
)

func main() {
	at := time.Unix(1767225600, 0).UTC()
	for _, t := range []time.Time{at, at.Add(500 * time.Millisecond)} {
		one, _ := attributevalue.Marshal(t)
		other, _ := dynamo.Marshal(t)
		fmt.Println("attributevalue", one.(*types.AttributeValueMemberS).Value)
		fmt.Println("guregu", other.(*types.AttributeValueMemberS).Value)
	}
}
PROGRAM
go mod init finding >go.log 2>&1
go get github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue@v1.21.21 github.com/guregu/dynamo/v2@v2.1.1 >>go.log 2>&1 || { cat go.log; exit 1; }
go run main.go >times.txt
cat >Program.java <<'PROGRAM'
import java.time.Instant;
import software.amazon.awssdk.enhanced.dynamodb.internal.converter.attribute.InstantAsStringAttributeConverter;

public class Program {
  public static void main(String[] arguments) {
    var converter = InstantAsStringAttributeConverter.create();
    for (long millis : new long[] {1767225600000L, 1767225600500L})
      System.out.println("enhanced " + converter.transformFrom(Instant.ofEpochMilli(millis)).s());
  }
}
PROGRAM
java -cp 'lib/*' Program.java >>times.txt 2>java.log
for library in attributevalue guregu enhanced; do
  echo "$library, in the order of a query: $(grep "^$library " times.txt | cut -d' ' -f2 | LC_ALL=C sort | paste -sd' ')"
done >seen
expect <<'SEEN'
attributevalue, in the order of a query: 2026-01-01T00:00:00.5Z 2026-01-01T00:00:00Z
guregu, in the order of a query: 2026-01-01T00:00:00.5Z 2026-01-01T00:00:00Z
enhanced, in the order of a query: 2026-01-01T00:00:00.500Z 2026-01-01T00:00:00Z
SEEN
