package stacktest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// iam is a proxy between a function and the AWS services. It passes only the calls that the
// function's role allows.
type iam struct {
	tb       testing.TB
	stack    stack
	function string
	denials  bool // a denied call is expected

	connections atomic.Int64 // number of connections so far

	mu   sync.Mutex
	used map[string]bool // "PutItem family"
}

// before returns the address at which the function must call a service.
func (i *iam) before(service string) string {
	behind, err := url.Parse(service)
	if err != nil {
		i.tb.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	return listen(i.tb, &i.connections, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			i.tb.Error(err)
		}
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		if !i.allows(operation, body) {
			if !i.denials {
				i.tb.Errorf("%s may not %s %s", i.function, operation, body)
			}
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"AccessDeniedException"}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
}

// listen serves until the test ends and counts the connections.
func listen(tb testing.TB, connections *atomic.Int64, h http.Handler) (origin string) {
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	tb.Cleanup(server.Close)
	return server.URL
}

// call holds the common members of calls to both services.
type call struct {
	Key, Item     pk
	SecretID      string `json:"SecretId"`
	Name          string
	Tags          []any
	RequestItems  map[string]struct{ Keys []pk }
	TransactItems []map[string]struct{ Key, Item pk }

	ExpressionAttributeValues map[string]struct{ S string }
}

// pk is an item or the key of an item.
type pk struct {
	PK struct{ S string } `json:"pk"`
}

// allows checks the parts of a transaction both together and one by one, because either may be how
// AWS does it.
func (i *iam) allows(operation string, body []byte) bool {
	var c call
	if err := json.Unmarshal(body, &c); err != nil {
		i.tb.Error(err)
	}
	if secret := c.SecretID + c.Name; secret != "" {
		secret = strings.TrimPrefix(secret, secretPrefix)
		actions := []string{operation}
		if len(c.Tags) > 0 {
			actions = append(actions, "TagResource")
		}
		return !slices.ContainsFunc(actions, func(action string) bool {
			kind, _, _ := strings.Cut(secret, "/")
			i.note(action + " " + kind)
			return !i.stack.opens(i.function, action, secret)
		})
	}
	needed := c.items(operation)
	for action, keys := range needed {
		for _, key := range keys {
			kind, _, _ := strings.Cut(key, "#")
			i.note(action + " " + kind)
			if !i.stack.reaches(i.function, action, key) {
				return false
			}
		}
		if !i.stack.reaches(i.function, action, keys...) {
			return false
		}
	}
	return len(needed) > 0
}

func (i *iam) note(use string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.used[use] = true
}

// items returns the pk of all items of a call, by the action that they need.
func (c call) items(operation string) map[string][]string {
	needed := map[string][]string{}
	for _, item := range []pk{c.Key, c.Item} {
		if item.PK.S != "" {
			needed[operation] = append(needed[operation], item.PK.S)
		}
	}
	for _, table := range c.RequestItems {
		for _, key := range table.Keys {
			needed[operation] = append(needed[operation], key.PK.S)
		}
	}
	for _, part := range c.TransactItems {
		for kind, it := range part {
			action := map[string]string{
				"Get": "GetItem", "Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
			}[kind]
			needed[action] = append(needed[action], it.Key.PK.S+it.Item.PK.S)
		}
	}
	if operation == "Query" {
		needed[operation] = append(needed[operation], c.ExpressionAttributeValues[":pk"].S)
	}
	return needed
}
