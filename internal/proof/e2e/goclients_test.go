package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	mcpgotypes "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
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
		c := &mcpGoClient{t: t, client: mcpgo.NewClient(over, options...)}
		if err := c.connect(); err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// connect may be called again after an error.
func (c *mcpGoClient) connect() error {
	c.t.Cleanup(func() { _ = c.client.Close() })
	if err := c.client.Start(c.t.Context()); err != nil {
		return err
	}
	request := mcpgotypes.InitializeRequest{}
	request.Params.ClientInfo = mcpgotypes.Implementation{Name: "e2e", Version: "1"}
	learned, err := c.client.Initialize(c.t.Context(), request)
	if err == nil {
		c.agreed = learned.ProtocolVersion
	}
	return err
}

// mcpGoSession is mcp-go's client after a login.
type mcpGoSession struct {
	mcpGoClient
	store *mcpgo.MemoryTokenStore
}

func mcpGoLogin(t *testing.T, s *server, p *person) session {
	t.Helper()
	store := mcpgo.NewMemoryTokenStore()
	over, err := mcpgo.NewOAuthStreamableHttpClient(s.url, mcpgo.OAuthConfig{
		RedirectURI: backHome, Scopes: []string{"read", "write"}, PKCEEnabled: true, TokenStore: store,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := &mcpGoSession{mcpGoClient{t: t, client: over}, store}
	handler := mcpgo.GetOAuthHandler(c.connect())
	if handler == nil {
		t.Fatal("mcp-go does not ask to log in")
	}
	verifier, _ := mcpgo.GenerateCodeVerifier()
	state, _ := mcpgo.GenerateState()
	if err := handler.RegisterClient(t.Context(), "e2e"); err != nil {
		t.Fatal(err)
	}
	authorize, err := handler.GetAuthorizationURL(t.Context(), state, mcpgo.GenerateCodeChallenge(verifier))
	if err != nil {
		t.Fatal(err)
	}
	back := p.logsIn(authorize).Query()
	if err := handler.ProcessAuthorizationResponse(t.Context(), back.Get("code"), back.Get("state"), verifier); err != nil {
		t.Fatal(err)
	}
	if err := c.connect(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *mcpGoSession) tokens() tokens {
	c.t.Helper()
	held, err := c.store.GetToken(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	return tokens{AccessToken: held.AccessToken, RefreshToken: held.RefreshToken, Scope: held.Scope}
}

// spoil also marks the token as expired, because mcp-go refreshes only by the clock.
func (c *mcpGoSession) spoil() {
	c.t.Helper()
	held := c.tokens()
	err := c.store.SaveToken(c.t.Context(), &mcpgo.Token{
		AccessToken: "spoilt", RefreshToken: held.RefreshToken, ExpiresAt: time.Now().Add(-time.Minute),
	})
	if err != nil {
		c.t.Fatal(err)
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

// goSDK returns a client that asks for a version, or for the newest if version is empty.
func goSDK(version string) func(*testing.T, *server) client {
	return func(t *testing.T, s *server) client {
		t.Helper()
		over := &gosdk.StreamableClientTransport{Endpoint: s.url, HTTPClient: &http.Client{Transport: bearing(ines)}}
		return connectGoSDK(t, over, version)
	}
}

func connectGoSDK(t *testing.T, over gosdk.Transport, version string) *goSDKClient {
	t.Helper()
	c := gosdk.NewClient(&gosdk.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), over, &gosdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &goSDKClient{t: t, session: session}
}

// goSDKSession is the client of the official Go SDK after a login.
type goSDKSession struct {
	*goSDKClient
	source *renewable
}

func goSDKLogin(t *testing.T, s *server, p *person) session {
	t.Helper()
	c := &goSDKSession{}
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "e2e", RedirectURIs: []string{backHome}, GrantTypes: []string{"authorization_code", "refresh_token"},
		}},
		RequestRefreshToken: true,
		AuthorizationCodeFetcher: func(_ context.Context, asked *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			back := p.logsIn(asked.URL).Query()
			return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
		},
		NewTokenSource: func(ctx context.Context, by *oauth2.Config, first *oauth2.Token) (oauth2.TokenSource, error) {
			c.source = &renewable{ctx: ctx, by: by, source: by.TokenSource(ctx, first)}
			return c.source, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.goSDKClient = connectGoSDK(t, &gosdk.StreamableClientTransport{Endpoint: s.url, OAuthHandler: handler}, "")
	return c
}

func (c *goSDKSession) tokens() tokens {
	c.t.Helper()
	held, err := c.source.Token()
	if err != nil {
		c.t.Fatal(err)
	}
	scope, _ := held.Extra("scope").(string)
	return tokens{AccessToken: held.AccessToken, RefreshToken: held.RefreshToken, Scope: scope}
}

// spoil also marks the token as expired, because the SDK refreshes only by the clock.
func (c *goSDKSession) spoil() {
	c.source.replace(&oauth2.Token{
		AccessToken: "spoilt", RefreshToken: c.tokens().RefreshToken, Expiry: time.Now().Add(-time.Minute),
	})
}

// renewable is the SDK's own source of tokens. A test can replace its token.
type renewable struct {
	ctx    context.Context
	by     *oauth2.Config
	mu     sync.Mutex
	source oauth2.TokenSource
}

func (r *renewable) Token() (*oauth2.Token, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Token()
}

func (r *renewable) replace(token *oauth2.Token) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.source = r.by.TokenSource(r.ctx, token)
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
