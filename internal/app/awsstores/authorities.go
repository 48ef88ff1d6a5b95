package awsstores

import (
	"cmp"
	"os"
)

// authorities is the file with all certificate authorities that Amazon Linux trusts.
const authorities = "/etc/pki/tls/certs/ca-bundle.crt"

// ReadAuthoritiesOnce makes crypto/x509 skip two directories that hold the same authorities as that
// file, each in a file of its own: reading them would take most of a first TLS handshake
// (golang.org/issue/79018). If the file is missing, it changes nothing.
func ReadAuthoritiesOnce() {
	file, directories := os.Getenv("SSL_CERT_FILE"), os.Getenv("SSL_CERT_DIR") //nolint:forbidigo // crypto/x509 reads them
	if directories != "" {
		return
	}
	if _, err := os.Stat(cmp.Or(file, authorities)); err == nil {
		_ = os.Setenv("SSL_CERT_DIR", "/nonexistent") // it fails only for malformed names and values
	}
}
