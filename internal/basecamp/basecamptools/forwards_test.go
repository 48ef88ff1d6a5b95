package basecamptools

import (
	"testing"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/report/fault"
)

// listedMail is a forwarded e-mail in a list.
type listedMail struct {
	lookup.Head
	Subject, From, Content string
	RepliesCount           int `json:"replies_count"`
	lookup.Origin
}

func TestListForwards(t *testing.T) {
	const rims = "{Inbox::Forward:Offer: rims with a wider bed}"
	cases(t, "read_basecamp", args{"operation": "list_forwards", "project": launch, "detail": "full"},
		row{fact: "a mail has its sender and the number of replies", misses: says{"<div>", "<p>"}, holds: holds{
			"items.#": 4, "items.0.subject": "Parking permission, church square", "items.*.type": "forward", "items.*.from": some, "items.*.content": some, "items.*.author.name": some, "items.*.project.name": launch,
			"items.*.replies_count": []int{0, 0, 2, 0}, "items.2.id": rims, "items.2.from": has("sales@felgenwerk.example"),
		}},
		row{fact: "one in the archive is left out", before: says{"PUT /recordings/" + rims + "/status/archived.json"}, holds: holds{"total": 3, "has_more": false}},
		row{fact: "the project must have an inbox", in: args{"project": "Winter Kit"}, fails: fault.ToolNotEnabled, says: says{"Winter Kit", "e-mail forwards"}},
		row{fact: "the project must exist", in: args{"project": "No such project"}, fails: fault.NotFound, says: says{"project"}},
		row{fact: "a project is required", in: args{"project": nil}, fails: fault.InvalidInput, says: says{"project"}},
		row{fact: "the inbox cannot be read", faults: faults{{Status: 503, PathPrefix: "/inboxes/"}}, fails: fault.UpstreamError},
		row{fact: "one of two inboxes must be named", before: says{`POST /buckets/{project:Cargo Bike Launch}/dock/tools.json {"tool_type":"Inbox","title":"Suppliers"}`},
			fails: fault.Ambiguous, says: says{"inbox"}, holds: holds{"data.candidates.#": 2}, then: []row{{in: args{"inbox": "suppliers"}, holds: holds{"items.#": 0}}}},
	)
}
