package dynamo

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"basecamp-mcp/internal/grant"
	"basecamp-mcp/internal/sweep"
)

func TestRemove_LosesToACallThatStoresTokens(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	for range 5 {
		first, err := store.Save(t.Context(), ines.Subject, "first", basecampTokens(1))
		if err != nil {
			t.Fatal(err)
		}
		seen, err := store.Leftover(t.Context(), ines.Subject)
		if err != nil || seen.Change == 0 || seen.SavedAt.IsZero() {
			t.Fatalf("%+v, %v", seen, err)
		}
		var saved string
		var saveErr, discardErr error
		var both sync.WaitGroup
		both.Go(func() { saved, saveErr = store.Save(t.Context(), ines.Subject, "second", basecampTokens(2)) })
		both.Go(func() { discardErr = store.Discard(t.Context(), ines.Subject, seen) })
		both.Wait()
		want := []string{saved}
		if errors.Is(discardErr, grant.ErrConflict) {
			want = []string{first, saved}
			discardErr = nil
		}
		if err := errors.Join(saveErr, discardErr); err != nil {
			t.Fatal(err)
		}
		wantRows(t, items, want)
		wantRevision(t, store, saved, 2)
		if err := store.Delete(t.Context(), ines.Subject); err != nil {
			t.Fatal(err)
		}
		if err := store.Discard(t.Context(), ines.Subject, seen); !errors.Is(err, grant.ErrConflict) {
			t.Errorf("nothing to remove: %v", err)
		}
	}
}

// These rows take two transactions. A crash after the first leaves rows without a pointer.
func TestRemove_CanBeRepeatedAfterACrash(t *testing.T) {
	client, table := integration(t)
	items := New(client, table, nil)
	store := sealedIn(items)
	for i := range deletedAtOnce + 2 {
		if _, err := store.Save(t.Context(), ines.Subject, fmt.Sprint(i), basecampTokens(1)); err != nil {
			t.Fatal(err)
		}
	}
	seen, err := store.Leftover(t.Context(), ines.Subject)
	if err != nil {
		t.Fatal(err)
	}
	dying := sealedIn(New(crashing(t, 3, false), table, nil))
	if err := dying.Discard(t.Context(), ines.Subject, seen); err == nil {
		t.Fatal("the removal did not notice")
	}
	pointer, versions, err := items.Tokens().list(t.Context(), "list", ines)
	if err != nil || pointer != nil || len(versions) != 2 {
		t.Fatalf("%d rows, pointer %v, %v", len(versions), pointer, err)
	}
	page, err := items.Grants(t.Context(), "")
	if diff := cmp.Diff([]sweep.Grant{{Subject: ines.Subject, Provider: ines.Provider}}, page.Tokens); diff != "" || err != nil {
		t.Errorf("the sweep does not see the rows: %v %s", err, diff)
	}
	if seen, err = store.Leftover(t.Context(), ines.Subject); err != nil || !seen.SavedAt.IsZero() {
		t.Errorf("%+v, %v", seen, err)
	}
	if err := store.Discard(t.Context(), ines.Subject, seen); err != nil {
		t.Error(err)
	}
	wantRows(t, items, nil)
}
