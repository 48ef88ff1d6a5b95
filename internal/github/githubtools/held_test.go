package githubtools

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/mcptest"
	"basecamp-mcp/internal/mcptool"
)

// fenced returns the caller with a fence that asks about a kind of writes.
func (d *toolEnv) fenced(kind fence.Kind) mcptest.Client {
	c := d.caller()
	c.Caller.Fence.Ask = []fence.Kind{kind}
	return c
}

func TestHeld_EveryToolSendsWhatWasApproved(t *testing.T) {
	var sent sentWrites
	for _, test := range costs {
		if effectOf(test.tool) == mcptool.Reads {
			continue
		}
		d := newToolEnvOn(t, func(to http.RoundTripper) http.RoundTripper { sent.to = to; return &sent })
		c := d.fenced(fence.Everything)
		for range 2 {
			c.Fails("HELD", "github_"+test.tool, test.with, "/account?held=")
		}
		all, err := d.held.Waiting(t.Context(), c.Caller.Subject)
		if err != nil || len(all) != 1 || len(sent.writes) > 0 {
			t.Fatalf("%s: %d calls wait, %v, sent %v", test.tool, len(all), err, sent.writes)
		}
		kept, err := d.held.Find(t.Context(), c.Caller.Subject, all[0].ID)
		if err == nil {
			err = d.held.Decide(t.Context(), c.Caller.Subject, kept.Record, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		var approved []string
		for _, w := range kept.Plan.Writes {
			if w.Request.Method == "" {
				continue // a request before carries it
			}
			approved = append(approved, fmt.Sprint(w.Request.Method, w.Request.URL, w.Request.Body))
		}
		mcptest.Call[map[string]any](c, "github_"+test.tool, test.with)
		if !slices.EqualFunc(approved, sent.writes, sameBut) || len(approved) == 0 {
			t.Errorf("%s: approved %v, sent %v", test.tool, approved, sent.writes)
		}
		sent.writes = nil
	}
}

// madeID matches the ID of what the call itself makes, made up or real.
var madeID = regexp.MustCompile(`"(itemId|contentId)":"[\w-]+"`)

// sameBut reports whether two requests are the same but for the IDs of what the call itself makes.
func sameBut(approved, sent string) bool {
	return madeID.ReplaceAllString(approved, "") == madeID.ReplaceAllString(sent, "")
}

func TestHeld_WhatIsPublicOnGitHub(t *testing.T) {
	d := newToolEnv(t)
	c := d.fenced(fence.Public)
	for tool, in := range map[string]args{
		"github_create_issue": {"repo": configurator, "title": "New"}, "github_update_issue": {"issue": second, "state": "closed"},
		"github_update_project": {"project": "Public roadmap", "owner": "fernhill-bikes", "title": "Roadmap"},
	} {
		c.Fails("HELD", tool, in)
	}
	for tool, in := range map[string]args{
		"github_create_issue": {"repo": "fernhill-bikes/frame-drawings", "title": "New"}, "github_set_field_value": onLaunch(args{"item": second, "field": "Notes", "value": "New"}),
	} {
		if text, isError := c.Raw(tool, in); isError {
			t.Errorf("%s is private: %s", tool, text)
		}
	}
	trashing := d.fenced(fence.Trashes)
	trashing.Fails("HELD", "github_remove_project_item", onLaunch(args{"item": second}))
	if text, isError := trashing.Raw("github_update_issue", args{"issue": second, "state": "closed"}); isError || strings.Contains(text, "HELD") {
		t.Error(text)
	}
}
