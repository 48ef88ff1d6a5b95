package agent

import (
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// Tokens returns how many tokens of the encoding o200k_base a text has.
func Tokens(t testing.TB, text string) int {
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
