package mcptool

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/store/memory"
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

func TestResource_IsReadWithItsVariables(t *testing.T) {
	for _, era := range eras {
		for uri, want := range map[string]string{
			"basecamp://bikes/7":                            "<7>",
			"basecamp://bikes/Cargo%20bike%2F%C3%A9":        "<Cargo bike/é>",
			"basecamp://bikes/Red%20bike/wheels/2":          "# Wheel 2 of Red bike, true",
			"basecamp://bikes/https%3A%2F%2Fx.y%2F1":        "<https://x.y/1>",
			"basecamp://bikes/" + strings.Repeat("x", 1000): "<" + strings.Repeat("x", 1000) + ">",
		} {
			got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
			c := got.Result.Contents
			if len(c) != 1 || c[0].URI != uri || c[0].MIMEType != "text/markdown" || c[0].Text != want {
				t.Errorf("%s %s: %s", era, uri, got.body)
			}
			if era == eras[0] && (got.Result.CacheScope != "private" || *got.Result.TTLMs != 0) {
				t.Errorf("cached: %s", got.body)
			}
		}
	}
}

func TestResource_ThatDoesNotExistIsNotFound(t *testing.T) {
	for _, era := range eras {
		want := -32002
		if era == eras[0] {
			want = -32602
		}
		for _, uri := range []string{
			"basecamp://bikes/", "basecamp://bikes", "basecamp://bikes/7/", "basecamp://bikes/7/wheels/", "basecamp://bikes//wheels/1",
			"basecamp://bikes/7?x=1", "basecamp://bikes/a b", "basecamp://bikes/%ff", "basecamp://wheels/7", "file:///etc/passwd", "audit://calls",
			"basecamp://bikes/a,b", "basecamp://bikes/7/wheels/1,2",
			"basecamp://bikes/" + strings.Repeat("x", 1001),
		} {
			got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
			got.refused(t, era, want, "there is no resource at ")
			if got.Error.Data["uri"] != uri || got.Error.Data["error_code"] != "NOT_FOUND" {
				t.Errorf("%s: %s", uri, got.body)
			}
		}
		newLibrary().read(t, reader, era, "resources/read", `"uri":"basecamp://bikes/missing"`).refused(t, era, want, "there is no such bike")
	}
}

func TestResource_AtATooLongURIIsNotFound(t *testing.T) {
	for _, era := range eras {
		want := -32002
		if era == eras[0] {
			want = -32602
		}
		uri := "basecamp://bikes/" + strings.Repeat("%41", mostURI/3)
		got := newLibrary().read(t, reader, era, "resources/read", fmt.Sprintf(`"uri":%q`, uri))
		got.refused(t, era, want, "there is no resource at ")
		if got.Error.Data["uri"] != nil || len(got.body) > 1000 {
			t.Errorf("%s", got.body)
		}
	}
}

func TestCompletion_ProposesValues(t *testing.T) {
	const prompt, resource = `"ref":{"type":"ref/prompt","name":"review"}`, `"ref":{"type":"ref/resource","uri":"basecamp://bikes/{id}"}`
	for _, era := range eras {
		for params, want := range map[string]string{
			prompt + `,"argument":{"name":"bike","value":"Re"}`:                                                                    `{"values":["<Re>"],"total":1}`,
			prompt + `,"argument":{"name":"bike","value":""}`:                                                                      `{"values":["<>"],"total":1}`,
			prompt + `,"argument":{"name":"tone","value":"Re"}`:                                                                    `{"values":[]}`,
			resource + `,"argument":{"name":"id","value":"Re"},"context":{"arguments":{}}`:                                         `{"values":["<Re>"],"total":1}`,
			`"ref":{"type":"ref/resource","uri":"basecamp://bikes/{id}/wheels/{number}"},"argument":{"name":"number","value":"1"}`: `{"values":[]}`,
		} {
			got := newLibrary().read(t, reader, era, "completion/complete", params)
			if !strings.Contains(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(got.body), `"completion":`+want) {
				t.Errorf("%s %s: %s", era, params, got.body)
			}
		}
		many := newLibrary().read(t, reader, era, "completion/complete", prompt+`,"argument":{"name":"bike","value":"many"}`).Result.Completion
		if len(many.Values) != 100 || many.Total != 101 || !many.HasMore {
			t.Errorf("%s: %+v", era, many)
		}
	}
}

func TestCompletion_OfAMissingPromptOrResourceFails(t *testing.T) {
	for params, says := range map[string]string{
		`"ref":{"type":"ref/prompt","name":"nothing"},"argument":{"name":"bike","value":""}`:                  `there is no prompt "nothing" here`,
		`"ref":{"type":"ref/prompt","name":"sell"},"argument":{"name":"bike","value":""}`:                     `there is no prompt "sell" here`,
		`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"colour","value":""}`:                 `argument.name: "colour" is not an argument; there are bike, tone`,
		`"ref":{"type":"ref/resource","uri":"basecamp://bikes/7"},"argument":{"name":"id","value":""}`:        `ref.uri: "basecamp://bikes/7" is not a template`,
		`"ref":{"type":"ref/resource","uri":"basecamp://bikes/{id}"},"argument":{"name":"number","value":""}`: `argument.name: "number" is not a variable; there are id`,
		`"ref":{"type":"ref/tool","name":"review"},"argument":{"name":"bike","value":""}`:                     `params must be ref`,
		`"ref":"review","argument":{"name":"bike","value":""}`:                                                `params must be ref`,
		`"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"bike","value":7}`:                    `params must be ref`,
		`"argument":{"name":"bike","value":""}`:                                                               `params must be ref`,
	} {
		for _, era := range eras {
			newLibrary().read(t, reader, era, "completion/complete", params).refused(t, era, -32602, says)
		}
	}
}

func TestCompletion_OfTheAuditTrailProposesNothing(t *testing.T) {
	s, _ := audited(library(), memory.New(nil))
	got := s.read(t, reader, eras[0], "completion/complete", `"ref":{"type":"ref/resource","uri":"audit://calls{?cursor}"},"argument":{"name":"cursor","value":""}`)
	if got.Error != nil || len(got.Result.Completion.Values) != 0 {
		t.Errorf("%s", got.body)
	}
}
