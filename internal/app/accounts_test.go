package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/identity"
)

func TestAllowed_DropsTheAccountsThatMayNoLongerUseTheDeployment(t *testing.T) {
	chosen := []fence.Account{{ID: 3}, {ID: 1}, {ID: 2}}
	a := &access{accounts: identity.Accounts{1, 3}}
	if diff := cmp.Diff(chosen[:2], a.allowed(chosen)); diff != "" {
		t.Error(diff)
	}
}

func TestCredential_IsNotGivenForAnAccountThatIsNotAllowed(t *testing.T) {
	l := &logins{allowed: identity.Accounts{1}}
	ctx := identity.With(t.Context(), identity.Caller{Subject: "37s:5", Account: 2})
	if _, err := l.Credential(ctx, ""); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("got %v", err)
	}
}
