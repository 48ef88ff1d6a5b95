package parts

import (
	"context"
	"strings"
	"unicode/utf8"

	"basecamp-mcp/internal/basecamp/richtext"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/listing"
	"basecamp-mcp/internal/tool/mcptool"
)

// PartInput chooses a part of a long text: from an offset, or the paragraphs around some words.
type PartInput struct {
	Offset int    `json:"offset,omitzero" jsonschema:"next_offset" limits:"min=0"`
	Find   string `json:"find,omitzero" jsonschema:"Words; shows paragraphs around them" limits:"word minlen=1 maxlen=1500"`
}

// Check returns an error if the arguments do not go together.
func (in PartInput) Check() error {
	if in.Find != "" && in.Offset > 0 {
		return fault.Invalid("find", "give either find or offset, not both")
	}
	return NotBlankIfGiven("find", in.Find)
}

// FoundText has the paragraphs around words that a call looks for. ParagraphCount is the number of
// paragraphs of the whole text.
type FoundText struct {
	Paragraphs     *[]Paragraph `json:"paragraphs,omitempty"`
	ParagraphCount int          `json:"paragraph_count,omitempty"`
}

// Paragraph is a paragraph of a text with its number, counted from 1. Found is true if it has the
// words; the others are next to one that has them.
type Paragraph struct {
	Number  int    `json:"number"`
	Found   bool   `json:"found,omitempty"`
	Content string `json:"content"`
}

// The limits of paragraphs that were found.
const (
	MaxFoundParagraph = 2_000  // characters of a paragraph around words
	maxFoundText      = 20_000 // characters of all of them
)

// Show replaces a text by the part that the call asks for. It returns the offset of the next part.
func (in PartInput) Show(ctx context.Context, text *string, truncated *bool, found *FoundText) (next int, err error) {
	if in.Find == "" {
		return listing.Part(text, in.Offset, truncated)
	}
	*found, *truncated = findParagraphs(*text, in.Find)
	*text = ""
	if len(*found.Paragraphs) == 0 {
		mcptool.Understood(ctx, "find: nothing in the text matches "+plaintext.Quote(in.Find))
	}
	return 0, nil
}

// findParagraphs returns the paragraphs of a Markdown text that have the words, and those next to
// them.
func findParagraphs(markdown, words string) (found FoundText, truncated bool) {
	all := plaintext.Paragraphs(markdown)
	has := make([]bool, len(all)+2) // has[i+1] is for paragraph i
	for i, p := range all {
		has[i+1] = richtext.Has(p, words)
	}
	shown, size := []Paragraph{}, 0
	for i, p := range all {
		if !has[i] && !has[i+1] && !has[i+2] {
			continue
		}
		cut, isCut := plaintext.Around(p[:indexFold(p, words)], p, MaxFoundParagraph)
		if size += utf8.RuneCountInString(cut); size > maxFoundText {
			truncated = true
			break
		}
		truncated = truncated || isCut
		shown = append(shown, Paragraph{i + 1, has[i+1], cut})
	}
	return FoundText{&shown, len(all)}, truncated
}

// indexFold returns the index of words in a text, whatever their case, or 0.
func indexFold(text, words string) int {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return 0
	}
	return max(0, strings.Index(lower, strings.ToLower(words)))
}
