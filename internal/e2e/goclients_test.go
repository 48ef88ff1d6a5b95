package e2e

import (
	"net/http"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpGoClient is mcp-go's client.
type mcpGoClient struct {
	t      *testing.T
	client *mcpgo.Client
	agreed string
}

func mcpGo() func(*testing.T, *server) client { return mcpGoWith() }

func mcpGoLegacy() func(*testing.T, *server) client {
	return mcpGoWith(mcpgo.WithProtocolVersion(legacy))
}

func mcpGoWith(options ...mcpgo.ClientOption) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		t.Helper()
		over, err := transport.NewStreamableHTTP(s.url, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + ines}))
		if err != nil {
			t.Fatal(err)
		}
		c := mcpgo.NewClient(over, options...)
		t.Cleanup(func() { _ = c.Close() })
		if err := c.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		request := mcpgotypes.InitializeRequest{}
		request.Params.ClientInfo = mcpgotypes.Implementation{Name: "e2e", Version: "1"}
		learned, err := c.Initialize(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return &mcpGoClient{t: t, client: c, agreed: learned.ProtocolVersion}
	}
}

func (c *mcpGoClient) version() string { return c.agreed }

func (c *mcpGoClient) tools() ([]string, error) {
	list, err := c.client.ListTools(c.t.Context(), mcpgotypes.ListToolsRequest{})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *mcpGoClient) call(tool string, arguments map[string]any) (result, error) {
	request := mcpgotypes.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	answered, err := c.client.CallTool(c.t.Context(), request)
	if err != nil {
		return result{}, err
	}
	return decode(answered)
}

// goSDKClient is the client of the official Go SDK.
type goSDKClient struct {
	t       *testing.T
	session *gosdk.ClientSession
}

// goSDK asks for a version, or for the newest.
func goSDK(version string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		t.Helper()
		over := &gosdk.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearing(ines)}}
		c := gosdk.NewClient(&gosdk.Implementation{Name: "e2e", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), over, &gosdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return &goSDKClient{t: t, session: session}
	}
}

func (c *goSDKClient) version() string { return c.session.InitializeResult().ProtocolVersion }

func (c *goSDKClient) tools() (names []string, err error) {
	for tool, err := range c.session.Tools(c.t.Context(), nil) {
		if err != nil {
			return nil, err
		}
		names = append(names, tool.Name)
	}
	return names, nil
}

func (c *goSDKClient) call(tool string, arguments map[string]any) (result, error) {
	answered, err := c.session.CallTool(c.t.Context(), &gosdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return result{}, err
	}
	return decode(answered)
}

// bearing sends the token with every request.
type bearing string

func (token bearing) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(request)
}
