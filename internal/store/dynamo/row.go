package dynamo

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"basecamp-mcp/internal/store/items"
)

// row is an item in the table. A row that does not exist has no revision; one that is unreadable
// has the revision unreadable, and no body.
type row struct {
	items.Item
	revision string
}

// layout begins the revisions of this layout of rows.
const layout, unreadable = "1", "unreadable"

// newRevision returns a revision that no row has.
func newRevision() string { return layout + rand.Text()[:15] }

func (r row) live(now time.Time) bool {
	return r.revision != "" && (r.Expires.IsZero() || now.Before(r.Expires))
}

// mark begins the name of each row in sk, because DynamoDB has no empty ones. afterMark is greater
// than all of them.
const mark, afterMark = ".", "/"

// keyOf returns the key of a row. What no owner lists has a partition of its own.
func keyOf(k items.Key) map[string]types.AttributeValue {
	if k.Owner == "" {
		k.Owner, k.Name = k.Name, ""
	}
	return map[string]types.AttributeValue{"pk": text(k.Kind + "#" + k.Owner), "sk": text(mark + k.Name)}
}

// nameIn returns a text that is the same for rows with the same key.
func nameIn(it map[string]types.AttributeValue) string {
	return stringIn(it, "pk") + "\x00" + stringIn(it, "sk")
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func stringIn(it map[string]types.AttributeValue, name string) string {
	if s, ok := it[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// attributes returns the row as DynamoDB keeps it. Its ttl is when it expires, in full seconds.
func (r row) attributes() map[string]types.AttributeValue {
	it := keyOf(r.Key)
	it["body"], it["rev"] = packed(r.Body), text(r.revision)
	if !r.Expires.IsZero() {
		it["ttl"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(r.Expires.Add(time.Second-1).Unix(), 10)}
	}
	return it
}

// rowOf returns the row in what DynamoDB has under a key, which may be nothing.
func rowOf(k items.Key, it map[string]types.AttributeValue) row {
	r := row{Item: items.Item{Key: k}}
	if it == nil {
		return r
	}
	bad := row{r.Item, unreadable}
	if r.revision = stringIn(it, "rev"); !strings.HasPrefix(r.revision, layout) || nameIn(it) != nameIn(keyOf(k)) {
		return bad
	}
	if ttl, expires := it["ttl"]; expires {
		n, _ := ttl.(*types.AttributeValueMemberN)
		if n == nil {
			return bad
		}
		seconds, err := strconv.ParseInt(n.Value, 10, 64)
		if err != nil {
			return bad
		}
		r.Expires = time.Unix(seconds, 0)
	}
	var ok bool
	if r.Body, ok = unpacked(it["body"]); !ok {
		return bad
	}
	return r
}

// packFrom is the size from which a body is compressed. DynamoDB charges for each KB.
const packFrom = 700

// mostUnpacked limits what a body can become: DynamoDB keeps up to 400 KB.
const mostUnpacked = 16 << 20

// packed returns a body, compressed if that makes it smaller.
func packed(body []byte) types.AttributeValue {
	if len(body) >= packFrom {
		if small := items.Compressed(body); len(small) < len(body) {
			return &types.AttributeValueMemberB{Value: small}
		}
	}
	return text(string(body))
}

// unpacked returns a body.
func unpacked(body types.AttributeValue) ([]byte, bool) {
	switch b := body.(type) {
	case *types.AttributeValueMemberS:
		return []byte(b.Value), true
	case *types.AttributeValueMemberB:
		large, err := items.Uncompressed(b.Value, mostUnpacked)
		return large, err == nil
	}
	return nil, false
}

// memo remembers rows that this process has read or written. A write begins with them instead of
// reading, and holds only if they have not changed since.
type memo struct {
	mu          sync.Mutex
	rows, older map[items.Key]row
}

// mostKept is after how many rows the older ones are forgotten. mostBody is the size of the
// largest.
const (
	mostKept = 64
	mostBody = 32 << 10
)

// keep remembers a row.
func (m *memo) keep(r row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil || len(m.rows) >= mostKept {
		m.rows, m.older = map[items.Key]row{}, m.rows
	}
	if m.rows[r.Key] = r; len(r.Body) > mostBody {
		delete(m.rows, r.Key)
		delete(m.older, r.Key)
	}
}

// recall returns a row, if it is remembered.
func (m *memo) recall(k items.Key) (row, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, known := m.rows[k]
	if !known {
		r, known = m.older[k]
	}
	return r, known
}
