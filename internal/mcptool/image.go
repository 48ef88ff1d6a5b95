package mcptool

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// Image is a picture that goes with a result. A tool whose result has a method Images() []Image shows them behind its text.
// They are in no schema, and not kept under an idempotency key: only a tool that may be called again without harm has any.
type Image struct {
	Data     []byte
	MIMEType string
}

// illustrated is a result with pictures.
type illustrated interface{ Images() []Image }

func (i Image) base64() string { return base64.StdEncoding.EncodeToString(i.Data) }

func (i Image) content() mcp.Content { return mcp.NewImageContent(i.base64(), i.MIMEType) }

// bridgedImage is a picture as the source of an image block of the Anthropic Messages API.
type bridgedImage struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func (i Image) bridged() bridgedImage { return bridgedImage{"base64", i.MIMEType, i.base64()} }
