package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// The definitions are part of every conversation: each an object with name, description and input
// schema. Lower a limit when they get shorter; never raise one.
func TestCatalog_StaysWithinItsTokens(t *testing.T) {
	t.Parallel()
	s := start(t)
	for path, of := range map[string]struct {
		prefix string
		limit  int
	}{"": {"", 11_300}, "/x/basecamp,github": {"github_", 3_630}} {
		var list struct {
			Tools []struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}
		}
		if err := json.Unmarshal(message{method: "tools/list", path: path}.post(t, s).Result, &list); err != nil {
			t.Fatal(err)
		}
		all := 0
		for _, tool := range list.Tools {
			if strings.HasPrefix(tool.Name, of.prefix) {
				all += tokenCount(t, encoded(tool))
			}
		}
		if t.Logf("%s%s: %d tokens", path, of.prefix, all); all == 0 || all > of.limit {
			t.Errorf("%s%s: %d tokens; the limit is %d", path, of.prefix, all, of.limit)
		}
		readme, err := os.ReadFile("../../../README.md")
		if want := fmt.Sprintf("which take %d,%d00 tokens", all/1000, (all%1000+50)/100); err != nil || path == "" && !strings.Contains(string(readme), want) {
			t.Errorf("README.md does not say: %s; %v", want, err)
		}
	}
}

// tokenCount returns how many tokens of the encoding o200k_base a text has.
func tokenCount(t testing.TB, text string) int {
	t.Helper()
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
