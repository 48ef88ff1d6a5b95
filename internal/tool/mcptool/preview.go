package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/undo"
	"basecamp-mcp/internal/report/fault"
	"basecamp-mcp/internal/text/plaintext"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/wire/writeplan"
)

type previewInput struct {
	Tool      string                     `json:"tool" jsonschema:"Any tool that writes" limits:"maxlen=200"`
	Arguments map[string]json.RawMessage `json:"arguments,omitzero" jsonschema:"Those of its call"`
}

// preview is what a call would write.
type preview struct {
	Tool   string         `json:"tool"`
	Writes []shownWrite   `json:"writes"`
	Total  int            `json:"total"`
	Follow int            `json:"follow,omitempty"` // writes that need the answers of these
	Counts map[string]int `json:"counts,omitempty"` // of all writes, if some are not shown
	reach                 // of the whole call, where it is not known by which write
	// SeenBy says who sees the projects in which the call would write, by their names.
	SeenBy map[string]string `json:"seen_by,omitempty"`
	NoUndo string            `json:"no_undo,omitempty"` // if what undoes the call is too large
	Note   string            `json:"note"`
}

// shownWrite is a write of a preview.
type shownWrite struct {
	writeplan.Write
	reach
}

const (
	noteDone    = "Nothing was done. What the call does may differ if someone changes these things before it."
	noteFollow  = " %d more writes follow from what is made, and are not shown."
	noteNothing = "Nothing would be written: everything is as the call wants it."
)

// ownTools returns the toolset that the server adds to every selection in which a tool writes.
func (s *Server) ownTools() Toolset {
	tools := []Tool{s.previewTool()}
	if s.options.Calls != nil {
		tools = append(tools, s.undoTool())
	}
	return Toolset{Tools: tools}.bind()
}

func (s *Server) previewTool() Tool {
	tool := Define(Spec{
		Name:  "preview",
		Title: "Preview a call",
		Description: "Shows what a call of another tool would write, who would see it and be notified, and does nothing. " +
			"For when the user wants to see a change first.",
	}, s.preview)
	tool.previews = new([]string)
	return tool
}

// preview runs a tool of the selection and plans its writes.
func (s *Server) preview(ctx context.Context, in previewInput) (preview, error) {
	facts := runIn(ctx)
	tool, err := s.previewed(facts.toolsets, in.Tool)
	if err != nil {
		return preview{}, err
	}
	given := json.RawMessage("{}")
	if in.Arguments != nil {
		given = toolanswer.MustEncode(in.Arguments)
	}
	accepted, err := tool.Accept(given)
	if err != nil {
		return preview{}, tool.inOwnWords(accepted.Arguments, err)
	}
	ctx, plan := writeplan.With(ctx)
	answer, err := tool.run(context.WithValue(ctx, runKey{}, &runFacts{effect: tool.Effect, previews: true, notes: facts.notes}), accepted)
	if err != nil {
		return preview{}, unwritten(err)
	}
	for _, note := range accepted.Understood {
		Understood(ctx, note)
	}
	p := preview{Tool: tool.Name, Note: noteDone, Follow: plan.Following(), SeenBy: plan.Readers()}
	if p.Follow > 0 {
		p.Note += fmt.Sprintf(noteFollow, p.Follow)
	}
	p.show(plan.Writes(), answer.JSON)
	return p, nil
}

// previewed returns the tool to preview. The preview of a tool that writes may read only, so it
// exists at every endpoint.
func (s *Server) previewed(toolsets []string, name string) (Tool, error) {
	tool, ok := s.part(Selection{Toolsets: toolsets}).tools[name]
	switch {
	case !ok:
		f := s.unknownTool(Selection{Toolsets: toolsets}, name)
		f.Validation = []fault.Violation{{Path: "tool", Message: f.Message, Code: "not_found"}}
		return Tool{}, f
	case tool.Name == undo.Tool:
		return Tool{}, fault.Invalid("tool", "undo has no preview; call it without arguments for what it can undo")
	case tool.Effect == Reads:
		return Tool{}, fault.Invalid("tool", "%s only reads, so nothing would be written; call it itself", tool.Name)
	}
	return tool, nil
}

// previewedProvider returns the provider of the tool that a call of preview names.
func (s *Server) previewedProvider(toolsets []string, arguments json.RawMessage) string {
	var in previewInput
	_ = json.Unmarshal(arguments, &in) // the call itself says what is wrong
	return s.part(Selection{Toolsets: toolsets}).tools[in.Tool].provider
}

// unwritten returns the error of a planned call: nothing has happened.
func unwritten(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || !f.MayHaveHappened {
		return err
	}
	told := *f
	told.MayHaveHappened = false
	return &told
}

// show adds the writes, with what the tool's own answer says about whom they reach.
func (p *preview) show(planned []writeplan.Write, answer json.RawMessage) {
	value, _ := writeplan.Decode(answer) // an answer is valid JSON
	found := map[string]reach{}
	collectReach(value, found)
	kept := 0
	for _, w := range planned {
		kept += w.Kept
		id := w.Made
		if id == "" && w.On != nil {
			id = w.On.ID
		}
		p.Writes = append(p.Writes, shownWrite{w, found[id]})
		delete(found, id)
	}
	if kept > calls.MostBytes {
		p.NoUndo = calls.TooLarge
	}
	p.Total = len(planned)
	if len(planned) == 0 {
		p.Note = noteNothing
	} else {
		p.reach = found[""]
	}
	p.fit()
}

// reach says whom a write reaches, as the tool's own answer does.
type reach struct {
	ClientsSee any      `json:"clients_see,omitempty" limits:"types=true|list"`
	Notified   []string `json:"notified,omitempty"`
}

// collectReach finds whom an answer says the writes reach, by the ID of the item; "" is for what
// has none.
func collectReach(value any, found map[string]reach) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			collectReach(entry, found)
		}
	case map[string]any:
		r := reach{ClientsSee: v["clients_see"]}
		notified, _ := v["notified"].([]any)
		for _, name := range notified {
			r.Notified = append(r.Notified, writeplan.Text(name))
		}
		if r.ClientsSee != nil || r.Notified != nil {
			found[writeplan.Text(v["id"])] = r
		}
		for _, member := range v {
			collectReach(member, found)
		}
	}
}

// maxPreview is the largest size of a preview in bytes of JSON: at most 4,000 tokens.
const maxPreview = 12_000

// fit shortens the texts of a preview, and then leaves out the last writes, until it is small
// enough. Total and Counts are those of all writes.
func (p *preview) fit() {
	all := p.Writes
	for _, limit := range []int{400, 100} {
		if toolanswer.Size(p) <= maxPreview {
			return
		}
		p.Writes = make([]shownWrite, len(all))
		for i, w := range all {
			w.Before, _ = shortened(w.Before, limit).(map[string]any)
			w.After, _ = shortened(w.After, limit).(map[string]any)
			p.Writes[i] = w
		}
	}
	if toolanswer.Size(p) <= maxPreview {
		return
	}
	p.Counts = map[string]int{}
	for _, w := range all {
		p.Counts[w.What]++
	}
	for len(p.Writes) > 0 && toolanswer.Size(p) > maxPreview {
		p.Writes = p.Writes[:len(p.Writes)-1]
	}
}

// mostEntries is how many entries of a list a shortened preview shows.
const mostEntries = 10

// shortened returns a value whose texts have at most a number of characters.
func shortened(value any, characters int) any {
	switch v := value.(type) {
	case string:
		if cut, truncated := plaintext.Excerpt(v, characters); truncated {
			return cut + "…"
		}
	case []any:
		short := make([]any, 0, mostEntries)
		for _, entry := range v[:min(len(v), mostEntries)] {
			short = append(short, shortened(entry, characters))
		}
		return short
	case map[string]any:
		short := make(map[string]any, len(v))
		for name, member := range v {
			short[name] = shortened(member, characters)
		}
		return short
	}
	return value
}
