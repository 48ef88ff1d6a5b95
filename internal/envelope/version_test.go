package envelope

import (
	"strings"
	"testing"
)

// Seal seals any text as a row of a user.
func (t *Tokens) Seal(k Key, subject string, r Row, text string) Row {
	return t.seal(k, subject, r, text)
}

func TestKeyOf_ReadsTheVersionsOfThisLayoutOnly(t *testing.T) {
	k := Key("fernhill-ring-key-one-0123456789")
	version := name(k, saveID("or:1001", 7, "writer"))
	if fingerprint, ok := keyOf(version); fingerprint != k.Fingerprint() || !ok {
		t.Errorf("%s names the key %q: %v", version, fingerprint, ok)
	}
	for _, other := range []string{
		"", "e1.", "e1.0b56b7953774", version + ".cc", "e1..bb", "e1.0b56b795377/.bb", "e2" + version[2:], version[3:],
		"e1.zz.1", "e1.0b56b7953774.", "e1.0b56b795377.bb", "e1.\x1b[2J0b56b79.bb", "e1.0b56b7953774." + strings.Repeat("b", 10_000),
		"ec4dbbb5-607b-5002-8b9b-9afd75f5578b",
	} {
		if fingerprint, ok := keyOf(other); ok {
			t.Errorf("%s names the key %q", other, fingerprint)
		}
	}
}

// An operator computes it with sha256sum, as docs/operate.md says.
func TestFingerprint_IsTheBeginningOfTheSHA256(t *testing.T) {
	if got := Key("abc").Fingerprint(); got != "ba7816bf8f01" { // FIPS 180-4, the example of SHA-256
		t.Errorf("got %s", got)
	}
}
