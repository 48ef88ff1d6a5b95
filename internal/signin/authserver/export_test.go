package authserver

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"
)

func TestSeal_OpensOnlyWithItsSecretAndPurpose(t *testing.T) {
	const plain = "bcm_rt_0123456789abcdef_plain"
	sealed := seal("secret", atSuccessor, []byte(plain))
	if got, err := unseal("secret", atSuccessor, sealed); err != nil || string(got) != plain {
		t.Fatalf("%q, %v", got, err)
	}
	if bytes.Contains(sealed, []byte(plain)) {
		t.Error("it can be read")
	}
	if bytes.Equal(sealed, seal("secret", atSuccessor, []byte(plain))) {
		t.Error("the same nonce twice")
	}
	for _, with := range [][2]string{{"another", atSuccessor}, {"", atSuccessor}, {"secret", "other"}, {"secret" + atSuccessor, ""}} {
		if got, err := unseal(with[0], with[1], sealed); err == nil {
			t.Errorf("%q opens it: %q", with, got)
		}
	}
	for i := range sealed {
		changed := bytes.Clone(sealed)
		changed[i] ^= 1
		if _, err := unseal("secret", atSuccessor, changed); err == nil {
			t.Errorf("byte %d may be changed", i)
		}
	}
	for n := range sealed {
		if _, err := unseal("secret", atSuccessor, sealed[:n]); err == nil {
			t.Errorf("%d bytes are enough", n)
		}
	}
}

// The table contains the hash of the token, so the key must not be derived from the hash.
func TestSeal_TheHashOfTheTokenDoesNotOpenIt(t *testing.T) {
	token := newToken(refreshPrefix, newFamilyID())
	sealed := seal(token, atSuccessor, []byte("x"))
	for name, of := range map[string]string{"hash": string(HashOf(token)), "token": token} {
		key, err := hkdf.Key(sha256.New, []byte(of), nil, atSuccessor, 32)
		if err != nil {
			t.Fatal(err)
		}
		block, _ := aes.NewCipher(key)
		aead, _ := cipher.NewGCMWithRandomNonce(block)
		if _, err := aead.Open(nil, nil, sealed, nil); (err == nil) != (name == "token") {
			t.Errorf("with the %s: %v", name, err)
		}
	}
}

// Lookup calls client for tests in the external package. It returns the client, or the status and
// code of the error.
func (s *Server) Lookup(ctx context.Context, id string) (c Client, status int, code string) {
	c, f := s.client(ctx, id)
	if f != nil {
		return c, f.status, f.code
	}
	return c, 0, ""
}

// Allows calls allows.
func (c Client) Allows(redirectURI string) bool { return c.allows(redirectURI) }

func TestDocument_IsFetchedFromPublicHostsOnly(t *testing.T) { // RFC 6890
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://localhost/client.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := New(Config{}).Documents.RoundTrip(r)
	if err == nil {
		response.Body.Close()
		t.Fatal("localhost was reached")
	}
	if !strings.Contains(err.Error(), "special-use") {
		t.Error(err)
	}
}
