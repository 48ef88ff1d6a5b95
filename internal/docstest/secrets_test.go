package docstest

import (
	"regexp"
	"strings"
	"testing"
)

// A shell keeps its command lines in a history, where a secret would stay.
func TestCommands_ContainNoSecret(t *testing.T) {
	assigned := regexp.MustCompile(`\b(?:BASECAMP|GITHUB)_(?:CLIENT_SECRET|ACCESS_TOKEN)=(\S*)`)
	all := documents(t)
	all = append(all, document{"functions/local/help.go", "```\n" + read(t, "functions/local/help.go") + "\n```\n"})
	looked := 0
	for _, d := range all {
		for _, code := range d.code() {
			for _, match := range assigned.FindAllStringSubmatch(code, -1) {
				if looked++; !strings.HasPrefix(match[1], `"$`) {
					t.Errorf("%s shows a command with a secret: %s; read -rs asks for one", d.name, match[0])
				}
			}
		}
	}
	if looked == 0 {
		t.Error("no document passes a secret any more; is the pattern still right?")
	}
}
