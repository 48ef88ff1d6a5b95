package runtimetest

import (
	"strings"
	"testing"
)

const root = "../../.."

func TestFunction_AnswersEventsUntilItIsStopped(t *testing.T) {
	f := Start(t, Build(t, root, "./functions/oauth"), "BASECAMP_API_URL=sandbox")
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		answer, err := f.Invoke([]byte(`{"dry_run":true}`))
		if err != nil || !strings.Contains(string(answer), `"complete":true`) {
			t.Fatalf("%s, %v", answer, err)
		}
	}
	f.Stop()
	if _, err := f.Invoke([]byte("{}")); err == nil {
		t.Error("a stopped function answered")
	}
	if err := Start(t, "/bin/false").Ready(); err == nil {
		t.Error("a program that ends reported that it was ready")
	}
}

func TestWords(t *testing.T) {
	got := words(` -tags lambda.norpc -ldflags "-s -w"` + "\n")
	if len(got) != 4 || got[3] != "-s -w" {
		t.Errorf("%q", got)
	}
}
