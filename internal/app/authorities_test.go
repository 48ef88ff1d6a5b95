package app

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOutbound_TrustsTheFileOfAuthoritiesAloneWhereThereIsOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "authorities.pem")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ file, directory, want string }{
		"a file":                  {file, "", "/nonexistent"},
		"no file":                 {file + ".old", "", ""},
		"directories of somebody": {file, "/etc/authorities", "/etc/authorities"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SSL_CERT_FILE", test.file)
			t.Setenv("SSL_CERT_DIR", test.directory)
			outbound()
			if got := os.Getenv("SSL_CERT_DIR"); got != test.want {
				t.Errorf("SSL_CERT_DIR is %q", got)
			}
		})
	}
}
