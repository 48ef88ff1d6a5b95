package authserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"basecamp-mcp/internal/store/aesgcm"
)

// Hash is the SHA-256 of a secret in hexadecimal; "" means no secret. Secrets have 256 random
// bits, so they need neither salt nor a slow hash, and the timing of a lookup by hash reveals
// nothing.
type Hash string

// HashOf returns the hash of a secret, or of several secrets that are needed together.
func HashOf(parts ...string) Hash {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return Hash(hex.EncodeToString(sum[:]))
}

// newSecret returns 256 random bits as 43 characters of base64url.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Tokens are bcm_at_FAMILY_SECRET and bcm_rt_FAMILY_SECRET. Secret scanners recognise the prefix.
// The family is the key under which the store finds the token.
const (
	accessPrefix  = "bcm_at_"
	refreshPrefix = "bcm_rt_"
	familyLength  = 16
	secretLength  = 43
)

// newFamilyID returns 80 random bits as 16 letters and digits. The ID is not secret.
func newFamilyID() string { return strings.ToLower(rand.Text()[:familyLength]) }

func newToken(prefix, family string) string { return prefix + family + "_" + newSecret() }

// familyOf returns the family in a token. It returns false if the token has another prefix or
// form.
func familyOf(prefix, token string) (family string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok || len(rest) != familyLength+1+secretLength || rest[familyLength] != '_' {
		return "", false
	}
	family = rest[:familyLength]
	plain := strings.IndexFunc(family, func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') }) < 0
	return family, plain
}

// atSuccessor is the purpose of a sealed refresh token.
const atSuccessor = "successor"

// seal encrypts with a key derived from a secret that is not stored (AES-256-GCM, HKDF-SHA256).
// The stored text is unreadable without the secret, and for any other purpose.
func seal(secret, purpose string, plain []byte) []byte {
	return aesgcm.For(purpose, []byte(secret)).Seal(nil, nil, plain, nil)
}

// unseal decrypts a sealed text. It fails with another secret or purpose, and if the text was
// changed.
func unseal(secret, purpose string, sealed []byte) ([]byte, error) {
	return aesgcm.For(purpose, []byte(secret)).Open(nil, nil, sealed, nil)
}
