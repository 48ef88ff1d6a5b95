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
	k := Key{ID: "k-1_A", Secret: []byte("fernhill-ring-key-one-0123456789")}
	version := name(k, saveID("or:1001", 7, "writer"))
	if id, fingerprint, ok := KeyOf(version); id != k.ID || fingerprint != k.Fingerprint() || !ok || !IsVersion(version) {
		t.Errorf("%s names key %q with fingerprint %q: %v", version, id, fingerprint, ok)
	}
	for _, other := range []string{
		"", "e1.", "e1.k1.0b56b7953774", version + ".cc", "e1..0b56b7953774.bb", "e1.k/1.0b56b7953774.bb", "e2" + version[2:], version[3:],
		"e1.k1.zz.1", "e1.k1.0b56b7953774.", "e1.k1.0b56b795377.bb", "e1.k1.\x1b[2J0b56b79.bb", "e1.k1.0b56b7953774." + strings.Repeat("b", 10_000),
		"ec4dbbb5-607b-5002-8b9b-9afd75f5578b",
	} {
		if id, _, ok := KeyOf(other); ok {
			t.Errorf("%s names key %q", other, id)
		}
	}
}
