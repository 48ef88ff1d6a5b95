package authserver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"
)

const (
	assertionLeeway = time.Minute // for clocks that differ
	assertionLife   = time.Hour   // an assertion that lasts longer is refused
	maxAssertion    = 8 << 10     // bytes
	maxJTI          = 256         // bytes
	minRSABits      = 2048
)

// assertionWanted is what a client assertion must say.
type assertionWanted struct {
	client, key string
	audiences   []string
	now         time.Time
}

// signingAlgorithms returns the algorithms of client assertions.
func signingAlgorithms() []string { return []string{"ES256", "RS256", "EdDSA"} }

// parsePublicKey reads a public key in PEM: RSA of at least 2048 bits, P-256 or Ed25519.
func parsePublicKey(text string) (crypto.PublicKey, error) {
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "PUBLIC KEY" || strings.TrimSpace(string(rest)) != "" {
		return nil, errors.New("it must be one public key in PEM, from BEGIN PUBLIC KEY to END PUBLIC KEY")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("its content is not a public key")
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSABits {
			return nil, errors.New("an RSA key must have at least 2048 bits")
		}
	case *ecdsa.PublicKey:
		if k.Curve != elliptic.P256() {
			return nil, errors.New("an EC key must be on P-256")
		}
	case ed25519.PublicKey:
	default:
		return nil, errors.New("it must be an RSA, P-256 or Ed25519 key")
	}
	return key, nil
}

// assertionClaims are the claims of a client assertion (RFC 7523, 3).
type assertionClaims struct {
	Issuer    string          `json:"iss"`
	Subject   string          `json:"sub"`
	Audience  json.RawMessage `json:"aud"` // a text, or an array of texts
	Expires   float64         `json:"exp"`
	NotBefore float64         `json:"nbf"`
	IssuedAt  float64         `json:"iat"`
	ID        string          `json:"jti"`
}

// checkAssertion returns the ID and the expiry of a client assertion. Its errors are for the
// client.
func checkAssertion(text string, want assertionWanted) (jti string, expires time.Time, err error) {
	claims, err := verified(text, want.key)
	if err != nil {
		return "", time.Time{}, err
	}
	at := func(seconds float64) time.Time { return time.UnixMilli(int64(seconds * 1000)) }
	expires = at(claims.Expires)
	switch {
	case claims.Issuer != want.client || claims.Subject != want.client:
		return "", expires, errors.New("iss and sub must be the client ID")
	case !slices.ContainsFunc(claims.audiences(), func(aud string) bool { return slices.Contains(want.audiences, aud) }):
		return "", expires, errors.New("aud must be " + want.audiences[0])
	case claims.ID == "" || len(claims.ID) > maxJTI:
		return "", expires, errors.New("it needs a jti of at most 256 bytes")
	case !want.now.Before(expires.Add(assertionLeeway)):
		return "", expires, errors.New("it has expired")
	case expires.Sub(want.now) > assertionLife+assertionLeeway:
		return "", expires, errors.New("exp must be at most an hour ahead")
	case at(max(claims.NotBefore, claims.IssuedAt)).After(want.now.Add(assertionLeeway)):
		return "", expires, errors.New("iat or nbf is in the future")
	}
	return claims.ID, expires, nil
}

func (c assertionClaims) audiences() (all []string) {
	var one string
	if json.Unmarshal(c.Audience, &one) == nil {
		return []string{one}
	}
	_ = json.Unmarshal(c.Audience, &all) // without an audience, the assertion is refused
	return all
}

// verified returns the claims of an assertion that a key has signed. The key says which algorithm
// the signature must have, never the assertion alone.
func verified(text, key string) (claims assertionClaims, err error) {
	bad := errors.New("it is not a JWT")
	parts := strings.Split(text, ".")
	if len(parts) != 3 || len(text) > maxAssertion {
		return claims, bad
	}
	var raw [3][]byte
	for i, part := range parts {
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			return claims, bad
		}
	}
	var header struct {
		Algorithm string   `json:"alg"`
		Critical  []string `json:"crit"`
	}
	if json.Unmarshal(raw[0], &header) != nil || json.Unmarshal(raw[1], &claims) != nil {
		return claims, bad
	}
	public, err := parsePublicKey(key)
	if err != nil {
		return claims, err
	}
	if len(header.Critical) > 0 || !signed(public, header.Algorithm, []byte(parts[0]+"."+parts[1]), raw[2]) {
		return claims, errors.New("the key of this client did not sign it with " + strings.Join(signingAlgorithms(), ", "))
	}
	return claims, nil
}

// clientOf returns the client that an assertion names, which need not have signed it, or "".
func clientOf(assertion string) string {
	parts := strings.Split(assertion, ".")
	if len(parts) != 3 {
		return ""
	}
	var claims assertionClaims
	if raw, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil || json.Unmarshal(raw, &claims) != nil {
		return ""
	}
	return claims.Subject
}

// signed reports whether a signature of a text is the key's (RFC 7518, 3).
func signed(key crypto.PublicKey, algorithm string, text, signature []byte) bool {
	sum := sha256.Sum256(text)
	switch k := key.(type) {
	case *rsa.PublicKey:
		return algorithm == "RS256" && rsa.VerifyPKCS1v15(k, crypto.SHA256, sum[:], signature) == nil
	case *ecdsa.PublicKey:
		const half = 32 // bytes of r and of s
		return algorithm == "ES256" && len(signature) == 2*half &&
			ecdsa.Verify(k, sum[:], new(big.Int).SetBytes(signature[:half]), new(big.Int).SetBytes(signature[half:]))
	case ed25519.PublicKey:
		return algorithm == "EdDSA" && ed25519.Verify(k, text, signature)
	}
	return false
}
