package identity

import (
	"context"
	"testing"
)

func TestCan_WriteIncludesRead(t *testing.T) { // R14
	for _, test := range []struct {
		scopes      []Scope
		read, write bool
	}{
		{nil, false, false},
		{[]Scope{Read}, true, false},
		{[]Scope{Write}, true, true},
		{[]Scope{Read, Write}, true, true},
	} {
		c := Caller{Scopes: test.scopes}
		if c.Can(Read) != test.read || c.Can(Write) != test.write {
			t.Errorf("%v: read %v, write %v", test.scopes, c.Can(Read), c.Can(Write))
		}
	}
}

func TestContext_CarriesTheCallerAndTheRequest(t *testing.T) {
	if _, ok := From(context.Background()); ok || RequestID(context.Background()) != "" {
		t.Error("an empty context has a caller or a request")
	}
	ctx := WithRequestID(With(t.Context(), Caller{Subject: "37s:1"}), "r-1")
	if c, ok := From(ctx); !ok || c.Subject != "37s:1" || RequestID(ctx) != "r-1" {
		t.Errorf("got %+v, %q", c, RequestID(ctx))
	}
}

func TestScopeString_IsInTheFormOfOAuth(t *testing.T) {
	if got := ScopeString([]Scope{Read, Write}); got != "read write" {
		t.Errorf("got %q", got)
	}
}
