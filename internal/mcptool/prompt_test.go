package mcptool

import (
	"strings"
	"testing"
)

func TestPrompts_ThatWriteAreAbsentFromAReadOnlyEndpoint(t *testing.T) {
	s := newLibrary()
	for _, era := range eras {
		if got := s.read(t, writer, era, "prompts/list", "").Result.Prompts; len(got) != 1 || got[0]["name"] != "review" {
			t.Errorf("%s: %v", era, got)
		}
		s.read(t, writer, era, "prompts/get", `"name":"sell"`).refused(t, era, -32602, `there is no prompt "sell" here`)
		if got := s.readIn(t, s.Handler(Selection{}), reader, era, "prompts/get", `"name":"sell"`); len(got.Result.Messages) != 1 {
			t.Errorf("%s: %s", era, got.body)
		}
	}
}

func TestPrompt_IsOneMessageOfTheUser(t *testing.T) {
	for _, era := range eras {
		for arguments, want := range map[string]string{
			`{"bike":" Red & \"fast\" "}`:          `<Red & "fast">`,
			`{"bike":"Red","tone":"rhyme"}`:        `<Red> in rhyme`,
			`{"bike":"Red","tone":"  "}`:           `<Red>`,
			`{"bike":"Red","tone":"","other":""} `: "",
		} {
			got := newLibrary().read(t, reader, era, "prompts/get", `"name":"review","arguments":`+arguments)
			if want == "" {
				got.refused(t, era, -32602, "other: is not an argument; there are bike, tone")
				continue
			}
			m := got.Result.Messages
			if len(m) != 1 || m[0].Role != "user" || m[0].Content.Type != "text" || m[0].Content.Text != want || got.Result.Description != "Reviews a bike." {
				t.Errorf("%s %s: %s", era, arguments, got.body)
			}
		}
	}
}

func TestPrompt_RefusesInvalidArguments(t *testing.T) {
	for params, says := range map[string]string{
		`"name":"review"`:                                                          "bike: is required",
		`"name":"review","arguments":{"bike":" "}`:                                 "bike: is required",
		`"name":"review","arguments":{"bike":7}`:                                   "arguments, an object of strings",
		`"name":"review","arguments":["bike"]`:                                     "arguments, an object of strings",
		`"name":"review","arguments":{"x":"","y":"1"}`:                             "x: is not an argument; there are bike, tone (and 2 more problems: see data.validation)",
		`"name":"review","arguments":{"bike":"` + strings.Repeat("é", 1001) + `"}`: "bike: must be at most 1000 characters, got 1001",
		`"name":"nothing"`:                                                         `there is no prompt "nothing" here; prompts/list returns the prompts`,
	} {
		for _, era := range eras {
			got := newLibrary().read(t, reader, era, "prompts/get", params)
			got.refused(t, era, -32602, says)
			if strings.HasPrefix(says, "bike:") && got.Error.Data["validation"] == nil {
				t.Errorf("%s: data %v", params, got.Error.Data)
			}
		}
	}
}
