package app

import (
	"os"
	"path/filepath"
	"testing"

	"basecamp-mcp/internal/app/awsstores"
	"basecamp-mcp/internal/config"
)

func TestDeployed_ReadsOnlyTheFileOfAuthoritiesIfItExists(t *testing.T) {
	file := filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ file, directory, want string }{
		"a file":            {file, "", "/nonexistent"},
		"no file":           {file + ".old", "", ""},
		"other directories": {file, "/etc/authorities", "/etc/authorities"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SSL_CERT_FILE", test.file)
			t.Setenv("SSL_CERT_DIR", test.directory)
			if _, _, err := deployed(deployment(), quiet, awsstores.Outbound(), false); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv("SSL_CERT_DIR"); got != test.want {
				t.Errorf("SSL_CERT_DIR is %q", got)
			}
		})
	}
}

// A user's machine may have more authorities in those directories than in the file.
func TestNewLocal_UsesTheAuthoritiesOfTheMachine(t *testing.T) {
	t.Setenv("SSL_CERT_FILE", "authorities_test.go")
	t.Setenv("SSL_CERT_DIR", "")
	c := deployment()
	c.BasecampURL = config.Sandbox
	if _, err := NewLocal(t.Context(), c, quiet, "http://127.0.0.1:8787", InAWS); err != nil {
		t.Fatal(err)
	}
	if got := os.Getenv("SSL_CERT_DIR"); got != "" {
		t.Errorf("SSL_CERT_DIR is %q", got)
	}
}
