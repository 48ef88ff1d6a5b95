package app

import (
	"sync"
	"sync/atomic"
)

// keyRules are the rules of idempotency_key.
var keyRules = []rule{
	{"two calls with the same key create one task, and return the same answer byte for byte", func(a *agent) {
		arguments := args{"title": "Oil the chains", "description": "All 40", "idempotency_key": "k-1"}
		first := a.must("add_task", arguments)
		for _, w := range []way{a.way, handshake, stateless, bridged} {
			if again := a.by(w).must("add_task", arguments); again.text != first.text {
				a.Errorf("%s: first %s, then %s", w, first.text, again.text)
			}
		}
		a.lists(nil, "Oil the chains")
		a.must("delete_task", args{"task_id": first.at("id")})
		if again := a.must("add_task", arguments); again.text != first.text {
			a.Errorf("first %s, then %s", first.text, again.text)
		}
		a.lists(nil)
	}},
	{"the same key with other arguments is a conflict", func(a *agent) {
		a.must("add_task", args{"title": "Oil the chains", "idempotency_key": "k-1"})
		r := a.refuses("add_task", args{"title": "Oil all chains", "idempotency_key": "k-1"}, "CONFLICT", "new key")
		if r.at("retryable") != false {
			a.Errorf("%s", r.text)
		}
		a.lists(nil, "Oil the chains")
		a.must("add_task", args{"title": "Oil all chains", "idempotency_key": "k-2"})
		a.lists(nil, "Oil all chains", "Oil the chains")
	}},
	{"the order of arguments does not matter", func(a *agent) {
		type raw struct {
			Description string `json:"description"`
			Key         string `json:"idempotency_key"`
			Title       string `json:"title"`
		}
		type turned struct {
			Title       string `json:"title"`
			Key         string `json:"idempotency_key"`
			Description string `json:"description"`
		}
		first := a.must("add_task", raw{"All 40", "k-1", "Oil"})
		if again := a.must("add_task", turned{"Oil", "k-1", "All 40"}); again.text != first.text {
			a.Errorf("first %s, then %s", first.text, again.text)
		}
	}},
	{"a key can be used again after a call that certainly failed", func(a *agent) {
		a.refuses("add_task", args{"title": "", "idempotency_key": "k-1"}, "INVALID_INPUT", "Task title is required")
		a.must("add_task", args{"title": "Oil the chains", "idempotency_key": "k-1"})
		a.lists(nil, "Oil the chains")
	}},
	{"a key belongs to one user", func(a *agent) {
		priya := a.agentOf("priya", a.way)
		arguments := args{"title": "Oil the chains", "idempotency_key": "k-1"}
		hers, his := a.must("add_task", arguments), priya.must("add_task", arguments)
		if hers.at("id") == his.at("id") {
			a.Errorf("both %s", hers.text)
		}
		priya.must("add_task", args{"title": "Ring the courier", "idempotency_key": "k-2"})
		a.must("add_task", args{"title": "Count the spokes", "idempotency_key": "k-2"})
		a.lists(nil, "Count the spokes", "Oil the chains")
		priya.lists(nil, "Ring the courier", "Oil the chains")
	}},
	{"twenty concurrent calls with one key create one task", func(a *agent) {
		var all sync.WaitGroup
		var answered atomic.Pointer[string]
		for range 20 {
			all.Go(func() {
				r := a.call("add_task", args{"title": "Oil the chains", "idempotency_key": "k-1"})
				switch {
				case r.failed && r.at("error_code") == "CONFLICT" && r.at("retryable") == true && r.at("retry_after_seconds") == 2.0:
				case r.failed:
					a.Error(r.text)
				case !answered.CompareAndSwap(nil, &r.text) && *answered.Load() != r.text:
					a.Errorf("%s and %s", *answered.Load(), r.text)
				}
			})
		}
		all.Wait()
		if answered.Load() == nil {
			a.Error("no call received an answer")
		}
		a.lists(nil, "Oil the chains")
	}},
	{"a key is text of up to 64 characters, for tools that create", func(a *agent) {
		for _, bad := range []any{"12345678901234567890123456789012345678901234567890123456789012345", true, args{}} {
			a.refuses("add_task", args{"title": "Oil", "idempotency_key": bad}, "INVALID_INPUT", "idempotency_key")
		}
		a.refuses("complete_task", args{"task_id": noTask, "idempotency_key": "k"}, "INVALID_INPUT", "idempotency_key")
		a.lists(nil)
	}},
}
