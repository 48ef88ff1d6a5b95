package basecamptools

import "basecamp-mcp/internal/plaintext"

// previousText returns what the new text drops of an old one, both in Markdown.
func previousText(old, now string) string { return plaintext.Dropped(old, now) }
