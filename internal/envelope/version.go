package envelope

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// prefix begins the versions of this layout of rows.
const prefix = "e1."

// The digits of the last two parts of a version: the fingerprint of its key, and what names its
// Save. A table refuses names that are too long.
const (
	fingerprintSize = 12
	saveSize        = 32
)

// keyOf returns the fingerprint of the key with which a version is sealed. ok is false for all
// other texts: an attacker who can write to the table can put any text there.
func keyOf(version string) (fingerprint string, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) != 3 || parts[0]+"." != prefix || len(parts[1]) != fingerprintSize || len(parts[2]) > saveSize ||
		!isHex(parts[1]) || !isHex(parts[2]) {
		return "", false
	}
	return parts[1], true
}

// isHex reports whether a text consists of one or more lower-case hexadecimal digits.
func isHex(text string) bool { return text != "" && strings.Trim(text, "0123456789abcdef") == "" }

// isName reports whether a text is a version of this layout.
func isName(version string) bool {
	_, ok := keyOf(version)
	return ok
}

// name returns the version that a Save makes with a key.
func name(k Key, save string) string { return prefix + k.Fingerprint() + "." + save }

// saveOf returns the part of a version that names its Save, whatever the key.
func saveOf(version string) string { return version[strings.LastIndexByte(version, '.')+1:] }

// saveID returns the same text for the same Save, so that it can be repeated.
func saveID(subject string, revision int64, writer string) string {
	sum := sha256.Sum256([]byte(joined(subject, strconv.FormatInt(revision, 10), writer)))
	return hex.EncodeToString(sum[:16])
}

// joined returns a text that is different for different parts.
func joined(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(strconv.Itoa(len(part)))
		b.WriteByte(':')
		b.WriteString(part)
	}
	return b.String()
}
