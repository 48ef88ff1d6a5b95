package identity

import (
	"context"
	"testing"
)

func TestCan_WriteIncludesRead(t *testing.T) {
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

func TestParseScopes_KeepsTheKnownOnesInOrder(t *testing.T) {
	for _, test := range []struct {
		text  string
		want  string
		named bool
	}{
		{"", "", false},
		{"read write", "read write", true},
		{" write\tread write ", "read write", true},
		{"write offline_access", "write", true},
		{"offline_access", "", false},
		{"admin", "", true},
		{"read admin", "read", true},
		{"Read", "", true},
	} {
		known, named := ParseScopes(test.text)
		if ScopeString(known) != test.want || named != test.named {
			t.Errorf("%q: got %v, %v", test.text, known, named)
		}
	}
}

func TestAccounts_NilAllowsAll(t *testing.T) {
	for _, test := range []struct {
		accounts Accounts
		want     bool
	}{{nil, true}, {Accounts{}, false}, {Accounts{2}, false}, {Accounts{2, 1}, true}} {
		if test.accounts.Allow(1) != test.want {
			t.Errorf("%#v allows account 1: %v", test.accounts, !test.want)
		}
	}
}
