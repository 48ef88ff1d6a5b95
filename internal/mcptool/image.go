package mcptool

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// Image is a picture in an answer. If a tool's result has a method Images() []Image, the server
// adds them after the text. The schema does not mention them, and idempotency keys do not store
// them: only tools that may be repeated safely have images.
type Image struct {
	Data     []byte
	MIMEType string
}

// illustrated is a result with images.
type illustrated interface{ Images() []Image }

func (i Image) base64() string { return base64.StdEncoding.EncodeToString(i.Data) }

func (i Image) content() mcp.Content { return mcp.NewImageContent(i.base64(), i.MIMEType) }

// bridgedImage is an image as the source of an image block of the Anthropic Messages API.
type bridgedImage struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func (i Image) bridged() bridgedImage { return bridgedImage{"base64", i.MIMEType, i.base64()} }
