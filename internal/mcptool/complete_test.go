package mcptool

import (
	"strings"
	"testing"

	"basecamp-mcp/internal/memory"
)

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
