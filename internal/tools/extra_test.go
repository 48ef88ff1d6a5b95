package tools

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"basecamp-mcp/internal/basecamp"
	"basecamp-mcp/internal/fault"
	"basecamp-mcp/internal/sandbox"
)

func TestListForwards_TellsWhoWroteAndHowManyAnswered(t *testing.T) {
	at(t, func(d *desk) {
		mails := all[forwardItem](d, "list_forwards", args{"project": launch, "limit": 1})
		if len(mails) != 4 || mails[0].Subject != "Parking permission, church square" || mails[0].Truncated {
			d.Fatalf("got %+v", mails)
		}
		for _, m := range mails {
			if m.ID == 0 || m.Type != "forward" || m.From == "" || m.Excerpt == "" || m.Author.Name == "" || m.Project.Name != launch || strings.Contains(m.Excerpt, "<") {
				d.Errorf("got %+v", m)
			}
			if m.Subject == "Offer: rims with a wider bed" && (m.RepliesCount != 2 || !strings.Contains(m.From, "sales@felgenwerk.example")) {
				d.Errorf("got %+v", m)
			}
		}
		d.meanwhile("PUT", fmt.Sprintf("/recordings/%d/status/archived.json", mails[3].ID), "")
		whole := call[scroll[forwardItem]](d, "list_forwards", args{"project": launch})
		if whole.HasMore || *whole.Total != 3 {
			d.Errorf("got %+v", whole)
		}
	})
}

func TestListForwards_OfALongMailShowsTheBeginning(t *testing.T) {
	at(t, func(d *desk) {
		ws, _ := d.workspace()
		v := ws.viewForward(basecamp.Forward{Content: basecamp.HTML("<div>" + strings.Repeat("Good day. ", 500) + "</div>")})
		if !v.Truncated || len([]rune(v.Excerpt)) > maxPreview || !strings.HasPrefix(v.Excerpt, "Good day.") {
			d.Errorf("got %d characters of %q", len([]rune(v.Excerpt)), v.Excerpt[:20])
		}
	})
}

func TestListForwards_WithoutAnInboxOrAProjectSaysSo(t *testing.T) {
	at(t, func(d *desk) {
		d.fails(fault.ToolNotEnabled, "list_forwards", args{"project": "Winter Kit"}, "Winter Kit", "e-mail forwards")
		d.fails(fault.NotFound, "list_forwards", args{"project": "No such project"}, "project")
		d.fails(fault.InvalidInput, "list_forwards", args{}, "project")
		d.sandbox.Inject(sandbox.Fault{Status: 503, PathPrefix: "/inboxes/"})
		d.fails(fault.UpstreamError, "list_forwards", args{"project": launch})
	})
}

func TestListForwards_OneOfSeveralInboxesIsNamed(t *testing.T) { // answers 8
	at(t, func(d *desk) {
		d.meanwhile("POST", fmt.Sprintf("/buckets/%d/dock/tools.json", d.sandbox.ProjectID(launch)), `{"tool_type":"Inbox","title":"Suppliers"}`)
		if f := d.fails(fault.Ambiguous, "list_forwards", args{"project": launch}, "inbox"); len(f.Data.Candidates) != 2 {
			d.Errorf("candidates %+v", f.Data.Candidates)
		}
		if got := call[scroll[forwardItem]](d, "list_forwards", args{"project": launch, "inbox": "suppliers"}); len(got.Items) != 0 {
			d.Errorf("got %+v", got)
		}
	})
}

func TestListForwards_ByNameTakesTwoRequestsColdAndOneWarm(t *testing.T) {
	at(t, func(d *desk) {
		list := func() { call[scroll[forwardItem]](d, "list_forwards", args{"project": launch}) }
		if cold := d.asked(list); len(cold) > 3 {
			d.Errorf("cold: %v", cold)
		}
		if warm := d.asked(list); len(warm) != 1 {
			d.Errorf("warm: %v", warm)
		}
	})
}

func TestCreateProject_IsFoundByTheNextCall(t *testing.T) {
	at(t, func(d *desk) {
		call[page[projectItem]](d, "list_projects", args{})
		d.fails(fault.NotFound, "get_project_tools", args{"project_id": "Rain test"}) // which remembers that there is none
		made := call[projectItem](d, "create_project", args{"name": " Rain test ", "description": "A week of it"})
		if made.ID == 0 || made.Name != "Rain test" || made.Description != "A week of it" || made.Status != "active" || made.URL == "" || len(made.Tools) == 0 {
			d.Errorf("got %+v", made)
		}
		if got := call[projectTools](d, "get_project_tools", args{"project_id": "Rain test"}); got.Project != made.ID || got.Description != "A week of it" {
			d.Errorf("got %+v", got)
		}
	})
}

func TestCreateProject_FailuresAreTold(t *testing.T) {
	at(t, func(d *desk) {
		requests := d.asked(func() {
			for _, name := range []string{"", "  ", "\u200b"} {
				d.fails(fault.InvalidInput, "create_project", args{"name": name}, "name")
			}
		})
		if len(requests) > 0 {
			d.Errorf("asked %v", requests)
		}
		d.sandbox.LimitProjects(3)
		d.fails(fault.LimitReached, "create_project", args{"name": "One more"}, "limit")
		d.sandbox.LimitProjects(0)
		d.sandbox.Inject(sandbox.Fault{Method: "POST", Hang: true, AfterEffect: true})
		requests = d.asked(func() { unclear(d, "create_project", args{"name": "Perhaps"}) })
		if len(requests) != 1 {
			d.Errorf("sent %v", requests)
		}
	})
}

// unclear calls a tool that creates something, to which no answer comes.
func unclear(d *desk, tool string, arguments args) {
	d.Helper()
	text, isError := d.raw(tool, arguments)
	if !isError || !strings.Contains(text, `"retryable":false`) || !strings.Contains(text, `"may_have_happened":true`) {
		d.Errorf("%s: %s", tool, text)
	}
}

func TestSetSubscription_FollowsAndUnfollows(t *testing.T) {
	at(t, func(d *desk) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		priya := d.as("Priya Raman")
		comment := upstream[[]record](d, fmt.Sprintf("/projects/recordings.json?type=Comment&bucket=%d", d.sandbox.ProjectID(launch)))[0]
		parent := int64(comment["parent"].(record)["id"].(float64))
		for _, c := range []struct {
			item string
			id   int64
			asks int
		}{
			{fmt.Sprintf("card:%d", id), id, 1},
			{d.url("card_tables/cards", id), id, 1},
			{comment["app_url"].(string), parent, 1},
			{fmt.Sprintf("comment:%.0f", comment["id"]), parent, 2},
		} {
			for _, want := range []bool{true, false, true} {
				var got subscriptionState
				requests := d.asked(func() {
					got = call[subscriptionState](priya, "set_subscription", args{"item": c.item, "subscribed": want})
				})
				if got.ID != c.id || got.Type == "" || got.Type == "comment" || c.id == id && got.Type != "card" || got.Subscribed != want || (got.Subscribers != nil) != want || len(requests) != c.asks {
					d.Errorf("%s: %+v after %v", c.item, got, requests)
				}
				told := false
				for _, s := range upstream[struct{ Subscribers []struct{ Name string } }](d, fmt.Sprintf("/recordings/%d/subscription.json", c.id)).Subscribers {
					told = told || s.Name == "Priya Raman"
				}
				if told != want {
					d.Errorf("%s: Priya is told: %v", c.item, told)
				}
			}
		}
	})
}

func TestSetSubscription_OfWhatCannotBeFollowedWritesNothing(t *testing.T) {
	at(t, func(d *desk) {
		id := d.sandbox.Find("Kanban::Card", "Matt clear coat")
		requests := d.asked(func() {
			d.fails(fault.InvalidInput, "set_subscription", args{"item": "project:" + launch, "subscribed": true}, "todo")
			d.fails(fault.InvalidInput, "set_subscription", args{"item": fmt.Sprint(id), "subscribed": true}, "type:id")
			d.fails(fault.InvalidInput, "set_subscription", args{"item": fmt.Sprintf("card:%d", id)}, "subscribed")
			d.fails(fault.NotFound, "set_subscription", args{"item": "comment:17", "subscribed": true})
		})
		if len(writes(requests)) > 0 {
			d.Errorf("wrote %v", requests)
		}
		d.fails(fault.NotFound, "set_subscription", args{"item": fmt.Sprintf("card:%d", id), "project": "Company HQ", "subscribed": true}) // W-17
		d.sandbox.Inject(sandbox.Fault{Status: 500, Method: "POST"})
		if f := d.fails(fault.UpstreamError, "set_subscription", args{"item": fmt.Sprintf("card:%d", id), "subscribed": true}); !f.Retryable {
			d.Errorf("twice is as once: %+v", f)
		}
	})
}

func TestUploadFile_PutsTheBytesWhereTheyWereAskedFor(t *testing.T) {
	at(t, func(d *desk) {
		root, frame := d.sandbox.ToolID(launch, "vault"), d.sandbox.FindIn(launch, "Vault", "Frame")
		content := "frame;mm\n17;0.3\n"
		for name, folder := range map[string]any{"top.csv": nil, "byid.csv": frame, "byname.csv": "Frame", "byurl.csv": d.url("vaults", frame)} {
			in := args{"project": launch, "filename": name, "content_base64": base64.StdEncoding.EncodeToString([]byte(content)), "description": "Measured **twice**"}
			want := root
			if folder != nil {
				in["folder"], want = folder, frame
			}
			made := call[attachmentItem](d, "upload_file", in)
			if made.Filename != name || made.ByteSize != int64(len(content)) || made.Description != "Measured **twice**" || made.URL == "" || made.Project.Name != launch || made.Author.Name != "Ines Albrecht" {
				d.Errorf("%s: %+v", name, made)
			}
			held := upstream[record](d, fmt.Sprintf("/uploads/%d.json", made.ID))
			if got := int64(held["parent"].(record)["id"].(float64)); got != want || !strings.HasPrefix(held["content_type"].(string), "text/csv") {
				d.Errorf("%s is in %d as %v", name, got, held["content_type"])
			}
			if got := call[shownFile](d, "get_file", args{"item": made.ID}); got.Text != content {
				d.Errorf("%s holds %q", name, got.Text)
			}
		}
	})
}

func TestUploadFile_TakesBase64AsItIsWrittenAndShowsLittleOfALongDescription(t *testing.T) {
	at(t, func(d *desk) {
		for _, encoded := range []string{"YSxi\nYSxi\n", "YSxiYQ", "YSxiYQ=="} {
			made := call[attachmentItem](d, "upload_file", args{
				"project": launch, "filename": "a.csv", "content_base64": encoded, "description": strings.Repeat("long ", 400),
			})
			if made.ByteSize < 4 || !made.Truncated || len([]rune(made.Description)) > maxPreview {
				d.Errorf("%q: %d bytes, %d characters", encoded, made.ByteSize, len(made.Description))
			}
		}
	})
}

func TestUploadFile_FetchesFromAPublicAddress(t *testing.T) {
	at(t, func(d *desk) {
		upload := upstream[record](d, fmt.Sprintf("/uploads/%d.json", d.sandbox.FindIn(launch, "Upload", "torque-values.md")))
		path := strings.TrimPrefix(upload["download_url"].(string), fmt.Sprintf("https://storage.3.basecamp.com/%d", d.sandbox.Account()))
		address := d.redirect(path)
		for name, want := range map[string]string{"": "torque-values.md", "torque copy.md": "torque copy.md"} {
			in := args{"project": launch, "source_url": address}
			if name != "" {
				in["filename"] = name
			}
			if made := call[attachmentItem](d, "upload_file", in); made.Filename != want || float64(made.ByteSize) != upload["byte_size"] {
				d.Errorf("got %+v", made)
			}
		}
	})
}

// redirect is where Basecamp sends who asks for a file.
func (d *desk) redirect(path string) string {
	d.Helper()
	r, err := http.NewRequestWithContext(d.Context(), http.MethodGet, fmt.Sprintf("%s/%d%s", sandbox.BaseURL, d.sandbox.Account(), path), http.NoBody)
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+d.sandbox.People()[0].Token)
	r.Header.Set("User-Agent", "test (test@fernhill.example)")
	response, err := d.sandbox.Transport().RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusFound {
		d.Fatal(response, err)
	}
	return response.Header.Get("Location")
}

func TestUploadFile_BadInputSendsNothing(t *testing.T) {
	at(t, func(d *desk) {
		good := args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"}
		with := func(change args) args {
			in := clone(good)
			for name, value := range change {
				if in[name] = value; value == nil {
					delete(in, name)
				}
			}
			return in
		}
		requests := d.asked(func() {
			d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": nil}), "content_base64", "source_url")
			d.fails(fault.InvalidInput, "upload_file", with(args{"source_url": "https://files.example/a.csv"}), "only one")
			d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": "???"}), "content_base64", "base64")
			d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": " \n"}), "empty file")
			d.fails(fault.InvalidInput, "upload_file", with(args{"filename": nil}), "filename")
			d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "filename": nil, "source_url": "https://files.example/"}), "filename")
			for _, name := range []string{"../../etc/passwd", `a\b`, ".", "..", "/", " "} {
				d.fails(fault.InvalidInput, "upload_file", with(args{"filename": name}), "filename")
			}
			for _, address := range []string{"http://files.example/a.csv", "file:///etc/passwd", "https://u:p@files.example/a", "https://files.example:22/a"} {
				d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "source_url": address}), "source_url", "https URL")
			}
			d.fails(fault.NotFound, "upload_file", with(args{"project": "No such project"}), "project")
			d.fails(fault.NotFound, "upload_file", with(args{"folder": "No such folder"}), "folder")
			d.fails(fault.ToolNotEnabled, "upload_file", with(args{"project": "Newsletter Refresh"}), "Docs & Files")
			d.fails(fault.InvalidInput, "upload_file", with(args{"description": "See @[Sam](person:17)"}), "description", "not on the project")
			d.fails(fault.InvalidInput, "upload_file", with(args{"content_base64": nil, "source_url": "https://files.example/a.csv"}), "source_url", "status")
		})
		for _, r := range requests {
			if !strings.HasPrefix(r, "GET ") {
				d.Errorf("sent %s", r)
			}
		}
	})
}

func TestUploadFile_IsToldHowFarItCame(t *testing.T) {
	for name, f := range map[string]sandbox.Fault{
		"the bytes":  {Method: "POST", PathPrefix: "/attachments", Status: 502},
		"the upload": {Method: "POST", PathPrefix: "/vaults", Status: 502, AfterEffect: true},
	} {
		at(t, func(d *desk) {
			d.sandbox.Inject(f)
			var text string
			requests := d.asked(func() {
				text, _ = d.raw("upload_file", args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"})
			})
			uploads := 0
			for _, r := range requests {
				if strings.HasPrefix(r, "POST /vaults") {
					uploads++
				}
			}
			unseen := name == "the bytes"
			if strings.Contains(text, `"may_have_happened":true`) == unseen || strings.Contains(text, `"retryable":true`) != unseen || (uploads == 0) != unseen || uploads > 1 {
				d.Errorf("%s: %s after %v", name, text, requests)
			}
		})
	}
	for code, status := range map[fault.Code]int{fault.PermissionDenied: 403, fault.LimitReached: 507, fault.TokenExpired: 401, fault.InvalidInput: 422, fault.NotFound: 404} {
		at(t, func(d *desk) {
			d.sandbox.Inject(sandbox.Fault{Method: "POST", Status: status})
			d.fails(code, "upload_file", args{"project": launch, "filename": "a.csv", "content_base64": "YSxi"})
		})
	}
}

func TestUploadFile_TakesTwoWritesAndOneReadWarm(t *testing.T) {
	at(t, func(d *desk) {
		upload := func() { d.upload("a.csv", []byte("a")) }
		if cold := d.asked(upload); len(cold) > 4 {
			d.Errorf("cold: %v", cold)
		}
		if warm := d.asked(upload); len(warm) != 2 {
			d.Errorf("warm: %v", warm)
		}
	})
}
