package runtimetest

import (
	"strings"
	"testing"
)

const root = "../../.."

func TestFunction_AnswersEventsUntilItIsStopped(t *testing.T) {
	f := Start(t, Build(t, root, "./functions/mcp/testdata/bare"))
	for range 3 {
		answer, err := f.Invoke([]byte("{}"))
		if err != nil || !strings.Contains(string(answer), `"statusCode":200`) {
			t.Fatalf("%s, %v", answer, err)
		}
	}
	f.Stop()
	if _, err := f.Invoke([]byte("{}")); err == nil {
		t.Error("a stopped function answered")
	}
}

func TestFunction_IsReadyWhenItAsksForAnEvent(t *testing.T) {
	f := Start(t, Build(t, root, "./functions/mcp/testdata/bare"))
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	if held, err := f.Resident(); err != nil || held < 1<<20 {
		t.Errorf("the function uses %d bytes, %v", held, err)
	}
	if used, err := f.CPU(); err != nil || used < 0 || used > timeout {
		t.Errorf("the function used a processor for %v, %v", used, err)
	}
	f.Stop()
	if _, err := f.Resident(); err == nil {
		t.Error("a stopped function still uses memory")
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
