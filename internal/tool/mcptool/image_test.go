package mcptool

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/proof/mcptest"
	"basecamp-mcp/internal/signin/identity"
	"basecamp-mcp/internal/tool/toolanswer"
)

type album struct {
	Title  string `json:"title"`
	images []toolanswer.Image
}

func (a album) Images() []toolanswer.Image { return a.images }

func newAlbums() testServer {
	show := func(_ context.Context, in greetInput) (album, error) {
		a := album{Title: in.Name}
		if in.Name != "empty" {
			a.images = []toolanswer.Image{{Data: []byte("red?>"), MIMEType: "image/png"}, {Data: []byte("blue"), MIMEType: "image/jpeg"}}
		}
		return a, nil
	}
	tool := Define(Spec{Name: "show", Title: "Show", Description: "Shows."}, show)
	return serveTools(Options{}, tool)
}

func TestImages_FollowTheText(t *testing.T) {
	s := newAlbums()
	ctx := identity.With(t.Context(), writer)
	for name, want := range map[string][]map[string]any{
		"bikes": {
			{"type": "text", "text": `{"title":"bikes"}`},
			{"type": "image", "data": "cmVkPz4=", "mimeType": "image/png"},
			{"type": "image", "data": "Ymx1ZQ==", "mimeType": "image/jpeg"},
		},
		"empty": {{"type": "text", "text": `{"title":"empty"}`}},
	} {
		w := post(ctx, t, s.Handler(Selection{ReadOnly: true}), "tools/call", "show", `"name":"show","arguments":{"name":"`+name+`"}`)
		type answer struct {
			Content           []map[string]any
			StructuredContent map[string]any
		}
		if diff := cmp.Diff(answer{want, map[string]any{"title": name}}, mcptest.Result[answer](t, w.Body.Bytes())); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestImages_HaveTheFormOfTheMessagesAPIOnTheBridge(t *testing.T) {
	const want = `{"is_error":false,"result":{"title":"bikes"},"images":[` +
		`{"type":"base64","media_type":"image/png","data":"cmVkPz4="},{"type":"base64","media_type":"image/jpeg","data":"Ymx1ZQ=="}]}`
	if got := newAlbums().bridged(t, writer, "show", `{"name":"bikes"}`); got != want {
		t.Errorf("got %s", got)
	}
	if got := newAlbums().bridged(t, writer, "show", `{"name":"empty"}`); got != `{"is_error":false,"result":{"title":"empty"}}` {
		t.Errorf("got %s", got)
	}
}

type portrait struct{}

func (*portrait) Images() []toolanswer.Image {
	return []toolanswer.Image{{Data: []byte("Ines"), MIMEType: "image/png"}}
}

func TestImages_OfAPointerResult(t *testing.T) {
	tool := Define(Spec{Name: "show", Title: "Show", Description: "Shows."}, func(context.Context, noFields) (portrait, error) { return portrait{}, nil })
	s := serveTools(Options{}, tool)
	if got := s.bridged(t, writer, "show", `{}`); got != `{"is_error":false,"result":{},"images":[{"type":"base64","media_type":"image/png","data":"SW5lcw=="}]}` {
		t.Errorf("got %s", got)
	}
}

func TestImages_AreRefusedForToolsWithAKey(t *testing.T) {
	for effect, want := range map[Effect]bool{Reads: false, Updates: false, Creates: true, Appends: true} {
		func() {
			defer func() {
				if panicked := recover() != nil; panicked != want {
					t.Errorf("effect %d: panicked %v", effect, panicked)
				}
			}()
			Define(Spec{Name: "a", Title: "A", Description: "Does a.", Effect: effect}, func(context.Context, noFields) (portrait, error) {
				return portrait{}, nil
			})
		}()
	}
}
