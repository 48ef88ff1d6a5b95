package work

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// Definition is a tool's definition, as the measured server lists it.
type Definition struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// Settings are what the benchmark tells a peer.
type Settings struct {
	Upstream *Upstream
	Listed   []byte       // the result of tools/list
	Tools    []Definition // the tools in Listed
}

// Main serves a peer until it is killed. It prints the URL once it accepts connections.
func Main(peer func(Settings) (http.Handler, error)) {
	if err := serve(peer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(peer func(Settings) (http.Handler, error)) error {
	origin := flag.String("upstream", "", "origin of the upstream")
	tools := flag.String("tools", "", "file with the result of tools/list")
	flag.Parse()
	listed, err := os.ReadFile(*tools)
	if err != nil {
		return fmt.Errorf("read the definitions: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	settings := Settings{Upstream: &Upstream{*origin, client}, Listed: listed}
	var list struct{ Tools []Definition }
	if err = json.Unmarshal(listed, &list); err != nil {
		return fmt.Errorf("decode the definitions: %w", err)
	}
	settings.Tools = list.Tools
	handler, err := peer(settings)
	if err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Fprintf(os.Stdout, "ready at http://%s/mcp\n", listener.Addr())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	return server.Serve(listener)
}
