package authserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// Hash is the SHA-256 of a secret, in hexadecimal; "" is none. Secrets of ours have 256 random bits, so that neither salt
// nor slowness would add anything, and finding one by its hash tells nothing by its timing.
type Hash string

// hashOf names a secret without keeping it. Several parts stand for several secrets that are only good together.
func hashOf(parts ...string) Hash {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return Hash(hex.EncodeToString(sum[:]))
}

// newSecret is 256 random bits, base64url: 43 characters.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Tokens are bcm_at_FAMILY_SECRET and bcm_rt_FAMILY_SECRET: a scanner knows them for ours, and the family, random too, says
// where both of its items lie.
const (
	accessPrefix  = "bcm_at_"
	refreshPrefix = "bcm_rt_"
	familyLength  = 16
	secretLength  = 43
)

// newFamilyID is 80 random bits in 16 letters and digits. It is an address, no secret.
func newFamilyID() string { return strings.ToLower(rand.Text()[:familyLength]) }

func newToken(prefix, family string) string { return prefix + family + "_" + newSecret() }

// familyOf finds the family in a token; false when it is not of the prefix's kind or form.
func familyOf(prefix, token string) (family string, ok bool) {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok || len(rest) != familyLength+1+secretLength || rest[familyLength] != '_' {
		return "", false
	}
	family = rest[:familyLength]
	plain := strings.IndexFunc(family, func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') }) < 0
	return family, plain
}
