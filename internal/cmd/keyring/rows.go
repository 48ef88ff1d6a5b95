package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/dynamo"
	"basecamp-mcp/internal/envelope"
)

// unitsASecond is how many read units the count uses: a tenth of what the template's table has.
const unitsASecond = 100

// seal names a key as sealed tokens do.
type seal struct{ id, fingerprint string }

func sealOf(k envelope.Key) seal { return seal{k.ID, k.Fingerprint()} }

// rows counts the versions of tokens in the table by the key that sealed them. Those whose names
// this release cannot read have an empty seal.
type rows map[seal]int

func (k *keyring) rows(ctx context.Context) (rows, error) {
	found := rows{}
	err := dynamo.SealedVersions(ctx, k.dynamo, k.table, unitsASecond, func(version string) {
		id, fingerprint, _ := envelope.KeyOf(version)
		found[seal{id, fingerprint}]++
	})
	if _, unknown := errors.AsType[*types.ResourceNotFoundException](err); unknown {
		return nil, errors.New("this account has no table of that name in the ring's region; the output TableName of the stack has the right name")
	}
	return found, err
}

// tokens returns a number of tokens in words.
func tokens(n int) string {
	if n == 1 {
		return "1 token"
	}
	return strconv.Itoa(n) + " tokens"
}
