package dynamo

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/audit"
	"basecamp-mcp/internal/authserver"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

// size returns the bytes that DynamoDB counts for an item: the names and the values (Amazon
// DynamoDB Developer Guide, "DynamoDB item sizes and formats").
func size(it item) (bytes int) {
	for name, value := range it {
		bytes += len(name)
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			bytes += len(v.Value)
		case *types.AttributeValueMemberN:
			bytes += (len(v.Value)+1)/2 + 1
		case *types.AttributeValueMemberB:
			bytes += len(v.Value)
		}
	}
	return bytes
}

// perItem is what DynamoDB adds to each item when it charges for storage.
const perItem = 100

// recordedCall is the stored size of a usual recorded call. The bill counts the calls of three
// months.
const recordedCall = 400

// The bill counts a unit for each of these items, and two in a transaction.
func TestItems_ThatAreWrittenOftenTakeOneWriteUnit(t *testing.T) {
	now := time.Now()
	end := now.Add(30 * 24 * time.Hour)
	const family, subject = "N5xw2kq7p3v9d4ht6ycb", "37s:12345678"
	hash := authserver.Hash(strings.Repeat("a", 64))
	f := authserver.Family{
		ID: family, Subject: subject, Person: "Maximiliane Oberwasser-Lindenthal", Account: 1234567, AccountName: "Fernhill Bikes and Repairs",
		Client: client, Scopes: []identity.Scope{identity.Read, identity.Write}, Resource: "https://abc123def4.execute-api.eu-central-1.amazonaws.com/mcp",
		Key: make([]byte, 32), Generation: 100, Unconfirmed: 100, CreatedAt: now, RefreshedAt: now, ExpiresAt: end, EndsAt: end,
	}
	bounded := f
	bounded.Fence.Read = &fence.Places{Repos: []string{strings.Repeat("r", fence.MaxSize)}}
	a := authserver.Access{Hash: hash, Scopes: f.Scopes, Generation: 100, ExpiresAt: end}
	r := authserver.Refresh{Hash: hash, Generation: 100, ExpiresAt: end, RotatedAt: now, Sealed: make([]byte, 250)}
	call := func(tool, outcome string, arguments ...audit.Argument) func() (item, error) {
		return func() (item, error) {
			return auditItem(subject, audit.Entry{
				ID: audit.NewID(now), Time: now, Tool: tool, Outcome: outcome, Milliseconds: 312, Client: "Claude Code",
				Arguments: arguments, Door: audit.MCP, RequestID: "UjKq1hX8liAEMXQ=", Connection: family,
			})
		}
	}
	made := func(f fields, k key) func() (item, error) { return func() (item, error) { return f.item(k) } }
	for name, each := range map[string]struct {
		item func() (item, error)
		most int // bytes, with perItem
	}{
		"a family":          {made(familyFields(&f), familyKey(family)), 1024},
		"the largest fence": {made(familyFields(&bounded), familyKey(family)), 4096}, // a unit of a read
		"an access token":   {made(accessFields(&a), accessKey(family, hash)), 1024},
		"a refresh token":   {made(refreshFields(&r), refreshKey(family, hash)), 1024},
		"a recorded call":   {call("list_todos", audit.OK, audit.Argument{Name: "project", Value: "123456789"}, audit.Argument{Name: "status"}), recordedCall},
		"a recorded call with many arguments": {call("update_schedule_entry", "PERMISSION_DENIED",
			audit.Argument{Name: "schedule_entry_id", Value: "9876543210"}, audit.Argument{Name: "project", Value: "123456789"}, audit.Argument{Name: "summary"},
			audit.Argument{Name: "starts_at"}, audit.Argument{Name: "ends_at"}, audit.Argument{Name: "participants"}), 1024},
	} {
		it, err := each.item()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d bytes, %d with its share of the index", name, size(it), size(it)+perItem)
		if size(it)+perItem > each.most {
			t.Errorf("%s takes %d bytes, of %d", name, size(it)+perItem, each.most)
		}
	}
}
