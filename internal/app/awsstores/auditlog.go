package awsstores

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/config"
)

// AuditLog writes recorded calls to a log group of CloudWatch Logs, for the operator. It signs two
// requests itself, because the SDK's client of this service would be the largest part of the
// function after that of the table.
type AuditLog struct {
	group, stream, region, url string
	credentials                aws.Credentials
	http                       client
	streamed                   atomic.Bool // the stream exists
}

// NewAuditLog returns the log of an instance, which has a stream of its own, or nil if there is no
// group.
func NewAuditLog(c config.AWS, transport http.RoundTripper) *AuditLog {
	if c.AuditLogGroup == "" {
		return nil
	}
	at := c.Logs
	if at == "" {
		at = "https://logs." + c.Region + ".amazonaws.com"
		if strings.HasPrefix(c.Region, "cn-") {
			at += ".cn"
		}
	}
	return &AuditLog{
		group: c.AuditLogGroup, stream: c.LogStream, region: c.Region, url: at,
		credentials: aws.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey, SessionToken: c.SessionToken},
		http:        client{transport},
	}
}

// auditLine is what the operator reads: references and numbers, never texts.
type auditLine struct {
	Person string `json:"person"`
	audit.Entry
}

// Write adds an entry to the log.
func (l *AuditLog) Write(ctx context.Context, subject string, e audit.Entry) error {
	line, err := json.Marshal(auditLine{subject, e})
	if err != nil {
		return err
	}
	put := map[string]any{
		"logGroupName": l.group, "logStreamName": l.stream,
		"logEvents": []map[string]any{{"timestamp": e.Time.UnixMilli(), "message": string(line)}},
	}
	if !l.streamed.Load() {
		if err := l.send(ctx, "CreateLogStream", map[string]any{"logGroupName": l.group, "logStreamName": l.stream}); err != nil {
			return err
		}
		l.streamed.Store(true)
	}
	return l.send(ctx, "PutLogEvents", put)
}

// maxLogAnswer is the number of bytes that are read of an answer.
const maxLogAnswer = 4 << 10

// send makes a request. A stream that exists already is no error.
func (l *AuditLog) send(ctx context.Context, action string, body map[string]any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "Logs_20140328."+action)
	sum := sha256.Sum256(encoded)
	if err := v4.NewSigner().SignHTTP(ctx, l.credentials, r, hex.EncodeToString(sum[:]), "logs", l.region, time.Now()); err != nil {
		return fmt.Errorf("sign %s: %w", action, err)
	}
	response, err := l.http.Do(r)
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxLogAnswer))
	if response.StatusCode != http.StatusOK && !bytes.Contains(answer, []byte("ResourceAlreadyExistsException")) {
		return fmt.Errorf("%s: HTTP %d", action, response.StatusCode)
	}
	return nil
}
