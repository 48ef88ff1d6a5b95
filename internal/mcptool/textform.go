package mcptool

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// TextHeader is the header with which a client chooses the text of an answer: json, which is the
// default, or markdown for a client that gives its model the structured content.
const TextHeader = "X-Mcp-Text"

type markdownKey struct{}

// withText returns a context in which tools answer with the text that a request asks for. Each
// request of either era sends the header again; the server does not store it.
func withText(ctx context.Context, header string) context.Context {
	if !strings.EqualFold(header, "markdown") {
		return ctx
	}
	return context.WithValue(ctx, markdownKey{}, true)
}

// shortText returns the short rendering of a success. It returns false if the text is the JSON.
func (o *Outcome) shortText(ctx context.Context) (string, bool) {
	if wanted, _ := ctx.Value(markdownKey{}).(bool); wanted && !o.IsError {
		return markdown(o.JSON), true
	}
	return "", false
}

// text returns the text block of a success: the same JSON as the structured content, or a short
// rendering of it.
func (o *Outcome) text(ctx context.Context) mcp.TextContent {
	if short, ok := o.shortText(ctx); ok {
		return mcp.NewTextContent(short)
	}
	return mcp.NewTextContent(string(o.JSON))
}
