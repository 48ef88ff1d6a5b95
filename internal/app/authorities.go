package app

import (
	"cmp"
	"os"
)

// authorities is where Amazon Linux keeps all certificate authorities it trusts in one file.
const authorities = "/etc/pki/tls/certs/ca-bundle.crt"

// readAuthoritiesOnce keeps crypto/x509 from reading two directories besides that file, which hold the same authorities one by
// one and would take most of a first TLS handshake (golang.org/issue/79018). Without the file, all stays as it is.
func readAuthoritiesOnce() {
	file, directories := os.Getenv("SSL_CERT_FILE"), os.Getenv("SSL_CERT_DIR") //nolint:forbidigo // these are crypto/x509's
	if directories != "" {
		return
	}
	if _, err := os.Stat(cmp.Or(file, authorities)); err == nil {
		_ = os.Setenv("SSL_CERT_DIR", "/nonexistent") // it fails for names and values that are not these
	}
}
