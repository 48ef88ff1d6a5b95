// Command bare answers every event with the same bytes: what Lambda and its library cost by
// themselves.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"
)

type constant []byte

func (c constant) Invoke(context.Context, []byte) ([]byte, error) { return c, nil }

func main() {
	lambda.Start(constant(`{"statusCode":200,"headers":{"Content-Type":"application/json"},` +
		`"isBase64Encoded":false,"body":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}`))
}
