package authserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"basecamp-mcp/internal/fence"
	"basecamp-mcp/internal/held"
	"basecamp-mcp/internal/undo"
	"basecamp-mcp/internal/writeplan"
)

// heldEnv has a call of Ines's client that waits, and her browser, which is signed in.
type heldEnv struct {
	*browser
	calls *held.Log
	id    string
}

func newHeldEnv(t *testing.T) *heldEnv {
	t.Helper()
	h := &heldEnv{}
	h.browser = newSignInEnv(t).browser()
	h.calls = h.Held
	_, tokens := h.redeem(h.logIn("ines").answer(t).Get("code"))
	family := strings.Split(tokens["access_token"].(string), "_")[2]
	h.id = held.ID(family, "create_comment", "{}")
	record := undo.Record{ID: h.id, Tool: "create_comment", Client: "Plumcot"}
	content := held.Content{Connection: family, Why: []fence.Kind{fence.SeenByClients}, Plan: held.Plan{Writes: []held.Write{{
		Write: writeplan.Write{
			What: "comment", On: &writeplan.Item{Type: "message", ID: "1", Title: "Brakes"}, After: map[string]any{"content": "In.\u202e<b>"},
		},
		Reach:   held.Reach{ClientsSee: []any{"Nora Lind"}, Notified: []string{"Priya Raman"}},
		Request: held.RequestOf(writeplan.Request{Method: "POST", URL: "https://3.basecampapi.com/1/comments.json", Body: []byte(`{"content":"<i>In.</i>","n":9007199254740993}`)}),
	}}}}
	if _, err := h.calls.Hold(t.Context(), h.subject("Ines Albrecht"), held.Call{}, held.Call{Record: record, Content: content}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *heldEnv) address() string { return origin + "/account?held=" + h.id }

// opened returns the page of the call, of a browser that signed in.
func (h *heldEnv) opened() shown {
	h.Helper()
	if to := h.get(h.address()).location(); to != "" {
		h.signIn(h.submit(h.get(origin+to)), "ines")
	}
	page := h.get(h.address())
	page.want(h.T, http.StatusOK)
	return page
}

func (h *heldEnv) state() undo.State {
	h.Helper()
	c := must(h.calls.Find(context.Background(), h.subject("Ines Albrecht"), h.id))
	return c.State
}

func TestHeld_ThePageShowsTheRequestsAndLeadsThroughTheSignIn(t *testing.T) {
	h := newHeldEnv(t)
	first := h.get(h.address())
	if !strings.HasSuffix(first.location(), "/oauth/start?for=account&held="+h.id) {
		t.Fatalf("HTTP %d to %q", first.status, first.location())
	}
	if back := h.signIn(h.submit(h.get(origin+first.location())), "ines"); back.location() != "/account?held="+h.id {
		t.Errorf("HTTP %d to %q", back.status, back.location())
	}
	page := h.get(h.address())
	page.want(t, http.StatusOK,
		"Plumcot", "message Brakes", "In.\\u{202E}&lt;b&gt;", "Nora Lind", "Priya Raman", "POST https://3.basecampapi.com/1/comments.json",
		"&lt;i&gt;In.&lt;/i&gt;", "9007199254740993", "what clients may see")
	if account := h.get(origin + "/account"); !strings.Contains(account.text, "1 call waits for you") || !strings.Contains(account.text, `href="/account?held=`+h.id) {
		t.Errorf("the account page: %s", account.text)
	}
	if h.state() != held.Waiting {
		t.Error("looking at the page decided")
	}
}

func TestHeld_IsDecidedByItsPersonAndOnlyAsShown(t *testing.T) {
	approve := []string{"decision", "approve"}
	for _, test := range []struct {
		name   string
		do     func(h *heldEnv, page shown) shown
		status int
		state  undo.State
	}{
		{"approved", func(h *heldEnv, page shown) shown { return h.submit(page, approve...) }, 303, held.Approved},
		{"refused", func(h *heldEnv, page shown) shown { return h.unwatched(page, "decision", "deny") }, 303, held.Refused},
		{"approved without scripts", func(h *heldEnv, page shown) shown { return h.unwatched(page, approve...) }, 200, held.Waiting},
		{"approved without scripts, and again", func(h *heldEnv, page shown) shown {
			again := h.unwatched(page, approve...)
			h.clock.now = h.clock.now.Add(time.Second)
			return h.unwatched(again)
		}, 303, held.Approved},
		{"twice", func(h *heldEnv, page shown) shown { h.submit(page, approve...); return h.submit(page, approve...) }, 409, held.Approved},
		{"refused in another tab", func(h *heldEnv, page shown) shown {
			h.submit(page, "decision", "deny")
			return h.submit(page, approve...)
		}, 409, held.Refused},
		{"refused and approved after another look", func(h *heldEnv, page shown) shown {
			h.submit(page, "decision", "deny")
			return h.submit(h.get(h.address()), approve...)
		}, 303, held.Approved},
		{"without an answer", func(h *heldEnv, page shown) shown { return h.submit(page) }, 409, held.Waiting},
		{"a forged token", func(h *heldEnv, page shown) shown { return h.submit(page, append(approve, "csrf", "forged")...) }, 400, held.Waiting},
		{"from another site", func(h *heldEnv, page shown) shown {
			r := h.filled(page, approve...)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			return h.send(r)
		}, 403, held.Waiting},
		{"without a session", func(h *heldEnv, page shown) shown {
			jar := h.jar
			h.jar = h.signInEnv.browser().jar
			defer func() { h.jar = jar }()
			return h.submit(page, approve...)
		}, 400, held.Waiting},
		{"by another person", func(h *heldEnv, page shown) shown {
			other := h.signInEnv.browser()
			other.signIn(other.submit(other.get(origin+"/oauth/start?for=account")), "samo")
			_, step := readPage(h.T, page)
			_, own := readPage(h.T, other.get(origin+"/account"))
			return other.submit(page, append(approve, "csrf", own.Get("csrf"), "step", step.Get("step"))...)
		}, 404, held.Waiting},
		{"a guessed ID", func(h *heldEnv, page shown) shown {
			return h.submit(page, append(approve, "step", "held:"+strings.Repeat("0", 32)+":1")...)
		}, 404, held.Waiting},
		{"after its client was disconnected", func(h *heldEnv, page shown) shown {
			c, _ := h.calls.Find(h.Context(), h.subject("Ines Albrecht"), h.id)
			if err := h.store.Revoke(h.Context(), c.Connection, "disconnected", h.clock.now); err != nil {
				h.Fatal(err)
			}
			return h.submit(page, approve...)
		}, 409, held.Waiting},
		{"while it is done", func(h *heldEnv, page shown) shown {
			h.submit(page, approve...)
			c, _ := h.calls.Find(h.Context(), h.subject("Ines Albrecht"), h.id)
			if _, err := h.calls.Claim(h.Context(), h.subject("Ines Albrecht"), c.Record); err != nil {
				h.Fatal(err)
			}
			return h.submit(page, "decision", "deny", "step", "held:"+h.id+":3")
		}, 409, held.Sending},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHeldEnv(t)
			h.T = t
			if got := test.do(h, h.opened()); got.status != test.status || h.state() != test.state {
				t.Errorf("HTTP %d, want %d; %s, want %s: %s", got.status, test.status, h.state(), test.state, got.text)
			}
		})
	}
}

// A clock that jumps back gives it no more than that time.
func TestHeld_IsGoneAfterADay(t *testing.T) {
	h := newHeldEnv(t)
	h.opened()
	h.clock.now = h.clock.now.Add(-time.Hour)
	h.opened()
	h.clock.now = h.clock.now.Add(time.Hour + held.Life - time.Minute)
	page := h.opened()
	h.clock.now = h.clock.now.Add(time.Minute)
	h.submit(page, "decision", "approve").want(t, http.StatusNotFound)
	h.get(h.address()).want(t, http.StatusNotFound, "no longer waiting")
}
