package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

func TestImage_StartsWithFourVariablesAndNotWithoutTheLast(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(text), "\nCMD ")
	var arguments []string
	if err := json.Unmarshal([]byte(command), &arguments); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	for name, value := range map[string]string{
		"BASECAMP_CLIENT_ID": "0123456789abcdef", "BASECAMP_CLIENT_SECRET": "s3cret", "PUBLIC_URL": "https://mcp.fernhill.example", "ALLOWED_ACCOUNTS": "",
		"BASECAMP_ACCESS_TOKEN": "", "BASECAMP_API_URL": "", "USER_AGENT_CONTACT": "",
	} {
		t.Setenv(name, value)
	}
	arguments = append(arguments, "-store", "memory")
	for _, here := range []string{"0.0.0.0:0", "127.0.0.1:0"} { // behind a proxy on the same machine, too
		if err := run(t.Context(), append(arguments, "-addr", here), nil, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "ALLOWED_ACCOUNTS must be") {
			t.Errorf("on %s: %v", here, err)
		}
	}
	if err := run(t.Context(), []string{"health", "-addr", addr}, nil, io.Discard); err == nil {
		t.Error("a server that does not run is healthy")
	}

	t.Setenv("ALLOWED_ACCOUNTS", "1234567")
	out, in := io.Pipe()
	go func() { in.CloseWithError(run(t.Context(), append(arguments, "-addr", addr), nil, in)) }()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "basecamp-mcp is ready at https://mcp.fernhill.example/mcp\n" {
		t.Fatalf("it printed %q, %v", line, err)
	}
	var health strings.Builder
	if err := run(t.Context(), []string{"health", "-addr", addr}, nil, &health); err != nil || !strings.Contains(health.String(), `"status":"ok"`) {
		t.Errorf("%s, %v", &health, err)
	}
}
