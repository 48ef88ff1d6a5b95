package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// clients are the SDK's clients of the services that a rotation needs.
type clients struct {
	manager *secretsmanager.Client
	dynamo  *dynamodb.Client
}

// attempt is how long one attempt of a request may take; the SDK makes three.
const attempt = 10 * time.Second

// clientsFor returns clients for the region of the ring's ARN, or for that of the environment.
func clientsFor(ring string, getenv func(string) string) (clients, error) {
	region := cmp.Or(regionOf(ring), getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))
	if region == "" {
		return clients{}, errors.New("the region is unknown; name the key ring by its ARN, or set AWS_REGION")
	}
	keys := aws.Credentials{
		AccessKeyID: getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"), SessionToken: getenv("AWS_SESSION_TOKEN"),
	}
	if !keys.HasKeys() {
		return clients{}, errors.New(`the environment has no credentials; first run: eval "$(aws configure export-credentials --format env)"`)
	}
	provider := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return keys, nil })
	sender := &http.Client{Timeout: attempt}
	return clients{
		manager: secretsmanager.New(secretsmanager.Options{
			Region: region, Credentials: provider, HTTPClient: sender, BaseEndpoint: endpoint("SECRETS_MANAGER", getenv),
		}),
		dynamo: dynamodb.New(dynamodb.Options{
			Region: region, Credentials: provider, HTTPClient: sender, BaseEndpoint: endpoint("DYNAMODB", getenv),
		}),
	}, nil
}

// endpoint returns the endpoint of a service, as the AWS CLI and the server read it from the
// environment, or nil for the endpoint of the region.
func endpoint(service string, getenv func(string) string) *string {
	if url := cmp.Or(getenv("AWS_ENDPOINT_URL_"+service), getenv("AWS_ENDPOINT_URL")); url != "" {
		return &url
	}
	return nil
}

// regionOf returns the region in an ARN, or an empty string for a name.
func regionOf(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) > 3 && parts[0] == "arn" {
		return parts[3]
	}
	return ""
}
