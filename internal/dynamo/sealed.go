package dynamo

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/pause"
)

// sealedPage is the number of items that SealedVersions reads at once.
const sealedPage = 500

// SealedVersions calls found with the name of every version of sealed tokens in a table. It reads
// the whole table, at most the given number of read units a second, and sees every earlier write.
// It is for operators: no function that serves users may scan the table.
func SealedVersions(ctx context.Context, client *dynamodb.Client, table string, unitsASecond int, found func(version string)) error {
	const doing = "read the names of all sealed tokens"
	in := &dynamodb.ScanInput{
		TableName: &table, ConsistentRead: new(true), Limit: new(int32(sealedPage)),
		FilterExpression:          new("begins_with(pk, :owner) AND begins_with(sk, :version)"),
		ProjectionExpression:      new("sk"),
		ExpressionAttributeValues: item{":owner": text(tokensPrefix), ":version": text(versionPrefix)},
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	for {
		out, err := client.Scan(ctx, in, noSilence)
		if err != nil {
			return failed(doing, err)
		}
		for _, it := range out.Items {
			found(strings.TrimPrefix(keyOf(it).sk, versionPrefix))
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
		if used := out.ConsumedCapacity; used != nil && used.CapacityUnits != nil { // until they are earned
			if err := pause.For(ctx, time.Duration(*used.CapacityUnits/float64(unitsASecond)*float64(time.Second))); err != nil {
				return failed(doing, err)
			}
		}
	}
}
