package tools

import (
	"context"
	"time"

	"basecamp-mcp/internal/basecamp/basecamptools"
	"basecamp-mcp/internal/own/hub"
	"basecamp-mcp/internal/tool/mcptool"
	"basecamp-mcp/internal/tool/toolanswer"
	"basecamp-mcp/internal/tool/toolargs"
)

type getWaitingInput struct {
	For     toolargs.Ref `json:"for,omitzero" jsonschema:"Id, name or me (default)"`
	Account string       `json:"account,omitzero" jsonschema:"Id, name or all" limits:"maxlen=200"`
}

// waitingAnswer has the newest items that fit, and how many there are.
type waitingAnswer struct {
	Person   string      `json:"person"`
	Since    string      `json:"since"`
	TimeZone string      `json:"time_zone"`
	ToAnswer hub.Section `json:"to_answer"` // by the person
	WaitsFor hub.Section `json:"waits_for"` // the person, for others
	Coverage []hub.Gap   `json:"coverage"`
}

const (
	waitingItems = 200    // of a section
	waitingBytes = 40_000 // of an answer
)

func getWaiting(basecamp *basecamptools.Wing) mcptool.Tool {
	return mcptool.Define(mcptool.Spec{
		Name:  "get_waiting",
		Title: "Who waits for whom",
		Description: "Who waits for a person's answer in Basecamp, and for whom this person waits: unanswered questions of 14 days, overdue work, " +
			"answers owed.",
	}, func(ctx context.Context, in getWaitingInput) (waitingAnswer, error) {
		if in.For.IsZero() {
			in.For.Name = "me"
		}
		found, err := basecamp.Waiting(ctx, "for", in.For, in.Account)
		if err != nil {
			return waitingAnswer{}, err
		}
		v := waitingAnswer{
			Person: found.Person, Since: found.Since.Format(time.DateOnly), TimeZone: found.Since.Location().String(), Coverage: append([]hub.Gap{}, found.Gaps...),
		}
		for most := waitingItems; ; most = most * 3 / 4 {
			v.ToAnswer = section(found.ToAnswer, most)
			v.WaitsFor = section(found.WaitsFor, most)
			if most == 0 || toolanswer.Size(v) <= waitingBytes {
				return v, nil
			}
		}
	})
}

// section returns the first items, and how many there are.
func section(items []hub.Item, most int) hub.Section {
	return hub.Section{Items: shortened(items[:min(len(items), most)]), Count: len(items)}
}
