package main

import (
	"strings"
	"testing"
)

func TestUsers_SaysWhatIsMissing(t *testing.T) {
	data := t.TempDir()
	for _, test := range []struct{ arguments, in, want string }{
		{"users -data " + data, "", "No user has signed in."},
		{"end-access 37s:1 -data " + data, "", `there is no user "37s:1"`},
		{"end-access -data " + data, "", "needs a user before its flags"},
		{"users -store memory", "", "-store memory"},
		{"users -stack", "no settings", "as a JSON object"},
		{"users -stack", `{"SECRET_PREFIX":"s/"}`, "TABLE_NAME must be set"},
	} {
		var out strings.Builder
		err := run(t.Context(), strings.Fields(test.arguments), strings.NewReader(test.in), &out)
		if err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: %s", test.arguments, out.String())
		}
	}
}
