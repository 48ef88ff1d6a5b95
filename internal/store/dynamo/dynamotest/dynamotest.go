// Package dynamotest runs Amazon's DynamoDB Local for tests. It has DynamoDB's own conditions and
// transactions, without its delays and costs. The pom lists its parts; it needs Java 17.
package dynamotest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Server is a running DynamoDB Local. It stores everything in memory.
type Server struct {
	Endpoint string

	process *exec.Cmd
	life    io.Closer
	said    bytes.Buffer
}

// startTime is how long the start may take on a busy machine. It usually takes a second.
const startTime = time.Minute

// script stops the server when its standard input is closed, so that a killed test binary leaves no
// process.
const script = `java "$@" & read -r _; kill $!; wait`

// Start runs what make installed below the module's root, on a free port, and waits until it
// answers. It listens on all addresses of the machine, which cannot be configured.
func Start(ctx context.Context, root string) (*Server, error) {
	lib := filepath.Join(root, ".tools", "dynamodb-local")
	port := strconv.Itoa(10_000 + rand.N(20_000)) // below those that systems assign by themselves
	s := &Server{Endpoint: "http://127.0.0.1:" + port}
	s.process = exec.Command("sh", "-c", script, "sh", //nolint:noctx // Stop ends it together with java
		"-Djava.library.path="+lib, "-cp", filepath.Join(lib, "*"), "software.amazon.dynamodb.services.local.main.ServerRunner",
		"-inMemory", "-disableTelemetry", "-port", port)
	s.process.Stdout, s.process.Stderr = &s.said, &s.said
	var err error
	if s.life, err = s.process.StdinPipe(); err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start DynamoDB Local: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if _, err := s.Client(patient).ListTables(ctx, &dynamodb.ListTablesInput{}); err != nil {
		s.Stop()
		return nil, fmt.Errorf("start DynamoDB Local, which make tools installs in %s: %w\n%s", lib, err, &s.said)
	}
	return s, nil
}

// Stop ends the server and waits for its end.
func (s *Server) Stop() {
	_ = s.life.Close()
	_ = s.process.Wait() // always an error, because it is killed
}

// patient tries until its context ends.
func patient(o *dynamodb.Options) {
	o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff, o.RateLimiter = 10_000, 50*time.Millisecond, ratelimit.None
	})
}

// Client returns an SDK client of the server.
func (s *Server) Client(options ...func(*dynamodb.Options)) *dynamodb.Client {
	return Client(s.Endpoint, options...)
}

// Client returns an SDK client of any server at an endpoint that speaks DynamoDB's protocol and
// ignores credentials.
func Client(endpoint string, options ...func(*dynamodb.Options)) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		BaseEndpoint: &endpoint,
		Region:       "eu-central-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "fernhill", SecretAccessKey: "bikes"}, nil
		}),
	}, options...)
}
