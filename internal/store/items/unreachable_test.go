package items_test

import (
	"context"
	"errors"
	"testing"

	"basecamp-mcp/internal/own/calls"
	"basecamp-mcp/internal/own/checklist"
	"basecamp-mcp/internal/signin/authserver"
	"basecamp-mcp/internal/signin/fence"
	"basecamp-mcp/internal/signin/grant"
	"basecamp-mcp/internal/store/items"
)

var errDown = errors.New("the table does not answer")

// down is an engine whose writes begin, and then cannot read.
type down struct{ items.Engine }

func (down) Write(_ context.Context, do func(items.Tx) error) error { return do(downTx{}) }

type downTx struct{ items.Tx }

func (downTx) Find(items.Key) ([]items.Item, error) { return nil, errDown }

func (downTx) New(items.Key) {}

func TestWrites_TakeAStoreThatDoesNotAnswerForNothingElse(t *testing.T) {
	s := items.New(down{}, items.Options{})
	ctx := t.Context()
	for name, write := range map[string]func() error{
		"a list that must exist": func() error {
			_, err := s.SaveChecklist(ctx, checklist.Draft{Subject: "ines", ID: "a", Existing: true})
			return err
		},
		"a record that was read": func() error {
			_, err := s.Records("orchard").SaveRecord(ctx, grant.Record{Subject: "37s:1", Change: 3})
			return err
		},
		"a record to remove": func() error { return s.Records("orchard").RemoveRecord(ctx, grant.Record{Subject: "37s:1"}) },
		"a new login state":  func() error { return s.AddLoginState(ctx, authserver.LoginState{Key: "state"}) },
		"the next login state": func() error {
			return s.ReplaceLoginState(ctx, "state", "browser", authserver.LoginState{Key: "next"})
		},
		"a code to redeem": func() error {
			return s.Redeem(ctx, authserver.Code{}, authserver.Code{}.ExpiresAt, authserver.Family{}, authserver.Access{}, authserver.Refresh{})
		},
		"a refresh token": func() error {
			return s.Rotate(ctx, authserver.Family{ID: "f"}, authserver.Refresh{}, authserver.Refresh{}, authserver.Access{})
		},
		"a fence":           func() error { return s.SetFence(ctx, "f", fence.Fence{}, fence.Fence{}) },
		"the end of a call": func() error { return s.ChangeCall(ctx, "ines", calls.Record{Revision: 2}, nil, nil) },
		"the beginning of a call": func() error {
			_, err := s.ClaimCall(ctx, "ines", calls.Record{}, &calls.Key{Key: "k"})
			return err
		},
	} {
		if err := write(); !errors.Is(err, errDown) {
			t.Errorf("%s: %v, want that the table does not answer", name, err)
		}
	}
}
