package authserver_test

import (
	"net/http"
	"testing"
	"time"

	"basecamp-mcp/internal/authserver"
)

func TestReconnect_LinksHaveKeysOfTheirOwn(t *testing.T) {
	h := newSignInEnv(t)
	secret := queryOf(t, h.link(h.subject("Ines Albrecht"))).Get("t")
	if _, err := h.store.LoginState(t.Context(), authserver.LinkKey+hashed("link\x00"+secret)); err != nil {
		t.Error(err)
	}
	// A state that continues a sign-in is not taken from such a key.
	err := h.store.AddLoginState(t.Context(), authserver.LoginState{
		Key: authserver.LinkKey + hashed("upstream\x00"+secret), Binding: hashed(""), Body: []byte(`{"purpose":"connect"}`),
		ExpiresAt: h.clock.Now().Add(time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.browser().get(origin + "/oauth/callback?code=c&state=" + secret); got.status != http.StatusBadRequest {
		t.Errorf("HTTP %d: %s", got.status, got.text)
	}
}
