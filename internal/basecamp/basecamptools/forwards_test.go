package basecamptools

import (
	"fmt"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp/lookup"
	"basecamp-mcp/internal/basecamp/sandbox"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/listing"
)

// listedMail is a forwarded e-mail in a list.
type listedMail struct {
	lookup.Head
	Subject, From, Content string
	RepliesCount           int `json:"replies_count"`
	lookup.Origin
}

func TestListForwards_ShowsTheSenderAndTheNumberOfReplies(t *testing.T) {
	at(t, func(d *toolEnv) {
		mails := all[listedMail](d, "read_basecamp", args{"operation": "list_forwards", "project": launch, "limit": 1, "detail": "full"})
		if len(mails) != 4 || mails[0].Subject != "Parking permission, church square" {
			d.Fatalf("got %+v", mails)
		}
		for _, m := range mails {
			if m.ID == 0 || m.Type != "forward" || m.From == "" || m.Content == "" || m.Author.Name == "" || m.Project.Name != launch || strings.Contains(m.Content, "<") {
				d.Errorf("got %+v", m)
			}
			if m.Subject == "Offer: rims with a wider bed" && (m.RepliesCount != 2 || !strings.Contains(m.From, "sales@felgenwerk.example")) {
				d.Errorf("got %+v", m)
			}
		}
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", mails[3].ID), "")
		whole := call[listing.Scroll[listedMail]](d, "read_basecamp", args{"operation": "list_forwards", "project": launch, "detail": "full"})
		if whole.HasMore || *whole.Total != 3 {
			d.Errorf("got %+v", whole)
		}
	})
}

func TestListForwards_FailsWithoutAnInboxOrAProject(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.fails(fault.ToolNotEnabled, "read_basecamp", args{"operation": "list_forwards", "project": "Winter Kit"}, "Winter Kit", "e-mail forwards")
		d.fails(fault.NotFound, "read_basecamp", args{"operation": "list_forwards", "project": "No such project"}, "project")
		d.fails(fault.InvalidInput, "read_basecamp", args{"operation": "list_forwards"}, "project")
		d.sandbox.Inject(sandbox.Fault{Status: 503, PathPrefix: "/inboxes/"})
		d.fails(fault.UpstreamError, "read_basecamp", args{"operation": "list_forwards", "project": launch, "detail": "full"})
	})
}

func TestListForwards_AsksWhichOfSeveralInboxes(t *testing.T) {
	at(t, func(d *toolEnv) {
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(launch)), `{"tool_type":"Inbox","title":"Suppliers"}`)
		if f := d.fails(fault.Ambiguous, "read_basecamp", args{"operation": "list_forwards", "project": launch}, "inbox"); len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		if got := call[listing.Scroll[listedMail]](d, "read_basecamp", args{"operation": "list_forwards", "project": launch, "inbox": "suppliers", "detail": "full"}); len(got.Items) != 0 {
			d.Errorf("got %+v", got)
		}
	})
}
